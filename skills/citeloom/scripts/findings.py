"""Print what `citeloom verify --json` found: `findings.py [--quotes] FILE`.

Without `--quotes`: each citation that is not supported, with the closest passages of its paper; sentences
without a citation; references that are wrong. With it: the quote behind each supported sentence.
"""

import json
import sys

out = sys.stdout.write


def passage(quote):
    """Print the words of a quote and whose they are."""
    out(f"   “{quote['text']}” (from {quote.get('words_of') or quote['part']})\n")


def main(arguments):
    """Print the findings of one file; return 0 if there is nothing to mend."""
    quotes = "--quotes" in arguments
    (path,) = [one for one in arguments if one != "--quotes"]
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    audit = result.get("audit") or {}
    left = 0
    for sentence in result.get("sentences") or []:
        for one in sentence["citations"]:
            if (one["verdict"] == "supported") != quotes:
                continue
            left += 1
            out(f"{sentence['number']}. {one['verdict']}: {sentence['text']}\n")
            if one.get("reason") and not quotes:
                out(f"   {one['reason']}\n")
            for quote in filter(None, [one.get("quote"), *one.get("further", [])]):
                passage(quote)
            for quote in [] if quotes else one.get("nearest") or []:
                passage(quote)
    if quotes:
        return 0
    for one in audit.get("uncited_claims") or []:
        out(f"No citation: {one.get('text', one) if isinstance(one, dict) else one}\n")
    for one in audit.get("references") or []:
        left += 1
        out(f"Reference {one['key']}: {one['detail']}\n")
    for reason in audit.get("reasons") or []:
        out(f"Not passed: {reason}\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
