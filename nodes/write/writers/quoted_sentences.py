"""What the embedded engine prints of papers: their own sentences, and counts of what is there.

'Tang et al. {P1} evaluate X.' (their 'we' or 'this paper' made a name) or 'Tang et al. {P1} write:
“We evaluate X in our lab.”'; of a paper without a sentence to show, its title. Nothing is composed.
"""

from collections.abc import Iterator, Sequence

from nodes.write.cited_papers import PaperToCite
from nodes.write.writers.draft_answers import NextSentence, Support
from tools.embed.embedder import Embedder
from tools.errors import counted
from tools.evidence.prompt_injection import without_injections
from tools.text.quotable import printable_title
from tools.text.salience import Passage, most_telling_passages
from tools.text.self_reference import name_authors
from tools.text.words import SAME, resemblance, split_sentences

_ENDING = 6
"""Words at a sentence's end by which it is known again."""
_BRACES = str.maketrans("", "", "{}[]")


def quote_line(
    embedder: Embedder, text: str, papers: Sequence[PaperToCite], so_far: Sequence[str]
) -> NextSentence:
    """Show the papers' own sentences; on a line that names no paper, one of the researcher's."""
    return (
        quote_nearest(embedder, text, papers, so_far)
        if papers
        else quote_input_nearest(embedder, text, so_far)
    )


def quote_nearest(
    embedder: Embedder, about: str, papers: Sequence[PaperToCite], so_far: Sequence[str]
) -> NextSentence:
    """Return one sentence that shows, paper by paper, what serves best and was not shown before.

    It is empty where nothing is left to show of any of the papers.

    Args:
        embedder: Tells what is close in meaning.
        about: The researcher's text.
        papers: In the order in which they are told.
        so_far: The sentences that stand before.
    """
    told: list[NextSentence] = []
    for paper in papers:
        new = next((item for item in _ways(embedder, about, paper) if _is_new(item, so_far)), None)
        told += [new] if new else []
    return NextSentence(
        sentence="; ".join(
            [
                *(item.sentence.rstrip(".") for item in told[:-1]),
                *(item.sentence for item in told[-1:]),
            ]
        ),
        support=[mark for item in told for mark in item.support],
    )


def _is_new(shown: NextSentence, so_far: Sequence[str]) -> bool:
    """Whether none of its sentences stands there, whatever was put in place of its subject."""
    said = " ".join(so_far)
    texts = [
        span.text
        for mark in shown.support
        for quote in mark.quotes
        for span in split_sentences(quote)
    ]
    ends = [" ".join(text.rstrip(".”").split()[2:][-_ENDING:]) for text in texts]
    alike = any(resemblance(shown.sentence, item) >= SAME for item in so_far)
    return not alike and shown.sentence not in said and not any(end and end in said for end in ends)


def _ways(embedder: Embedder, about: str, paper: PaperToCite) -> Iterator[NextSentence]:
    """Yield what can be printed of a paper, the best first."""
    for passage in most_telling_passages(embedder, about, without_injections(paper.abstract)[0]):
        yield shown_as(passage, paper)
    name, title = printed_name(paper), printable_title(without_injections(paper.title)[0])
    if title:
        said = "" if f"“{title}”" == name else f", “{title}”"
        support = [Support(key=paper.key, quotes=[paper.title])]
        yield NextSentence(sentence=f"{name} {{{paper.key}}}{said}.", support=support)


def shown_as(passage: Passage, paper: PaperToCite) -> NextSentence:
    """Return a passage under its authors' name; an annotation is not told as its paper's words."""
    subject = f"{printed_name(paper)} {{{paper.key}}}"
    said = (
        name_authors(passage.text, subject, paper.plural, annotated=paper.annotated)
        if passage.alone
        else None
    )
    if said is None:
        frame = "(annotation)" if paper.annotated else "write" if paper.plural else "writes"
        said = f"{subject} {frame}: “{passage.text}”"
    said = said[0].upper() + said[1:]
    return NextSentence(sentence=said, support=[Support(key=paper.key, quotes=[passage.text])])


def printed_name(paper: PaperToCite) -> str:
    """Return the name as it may be printed: braces in it could pass for markers."""
    if not paper.name.startswith("“"):
        return " ".join(paper.name.translate(_BRACES).split()) or "One paper"
    title = printable_title(without_injections(paper.title)[0])
    return f"“{title}”" if title else "One paper"


def quote_input_nearest(embedder: Embedder, text: str, so_far: Sequence[str]) -> NextSentence:
    """Return the sentence of the researcher's own text that tells most of it and was not shown yet."""
    shown = [item.text for item in most_telling_passages(embedder, text, text) if item.alone]
    said = " ".join(so_far)
    new = next((item for item in shown if item not in said), "")
    return NextSentence(sentence=new, basis=new)


def count_sentence(theme: str, papers: Sequence[PaperToCite]) -> str:
    """Name a theme as a heading does, with the number of its papers and, where all are known, their years.

    'Dense retrieval (3 papers, 2020 to 2024).'
    """
    told = [counted(len(papers), "paper")]
    years = sorted(item.year for item in papers if item.year)
    if years and len(years) == len(papers):
        told.append(" to ".join(map(str, dict.fromkeys((years[0], years[-1])))))
    return f"{theme[:1].upper()}{theme[1:]} ({', '.join(told)})."
