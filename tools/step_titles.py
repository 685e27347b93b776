"""What people read of a step while it goes on, at the terminal, on the page and from an agent."""

_TITLES = {
    "read_input": "Reading the input",
    "generate_queries": "Generating queries",
    "cut_claims": "Finding the claims",
    "choose_nearest": "Choosing the nearest works",
    "compare_claim": "Comparing claims",
    "screen_by_criteria": "Screening by criteria",
    "search_source": "Searching",
    "merge_records": "Merging duplicates",
    "screen_papers": "Screening",
    "shortlist_papers": "Choosing papers to judge",
    "judge_papers": "Judging papers",
    "weigh_links": "Ranking papers",
    "expand_citations": "Following citations",
    "reflect_on_sufficiency": "Checking what is missing",
    "check_retractions": "Checking retractions",
    "select_papers": "Selecting",
    "estimate_completeness": "Coverage",
    "take_papers": "Loading papers",
    "resolve_references": "Looking up references",
    "read_papers": "Reading papers",
    "type_citations": "Reading citations",
    "read_stack_paper": "Reading papers",
    "plan_section": "Planning the section",
    "write": "Writing",
    "check": "Checking citations",
    "full_texts": "Reading full texts",
    "plan_search": "Planning the search",
    "search_passages": "Searching passages",
    "extract_claims": "Extracting claims",
    "answer_in_one_call": "Answering",
    "compose_answer": "Writing the answer",
    "check_answer": "Checking the answer",
    "merge_references": "Merging references",
    "summarize_paragraphs": "Summarising paragraphs",
    "judge_relevance": "Judging paragraphs",
    "synthesize_answer": "Writing the synthesis",
    "align_lines": "Tracing lines to sources",
    "resolve_works": "Looking up references",
    "fill_rows": "Reading papers",
    "take_sources": "Receiving files",
    "take_records": "Reading records",
    "complete_records": "Filling in records",
    "take_references": "Receiving references",
    "read_source": "Reading files",
    "index_passages": "Indexing passages",
    "index_papers": "Indexing papers",
    "name_keywords": "Naming keywords",
    "index_keywords": "Finding keywords",
    "make_vectors": "Computing vectors",
}

_PLAIN = {"judge_papers": "Comparing papers", "judge_relevance": "Comparing paragraphs"}
"""Of steps that judge nothing without a model."""


def step_title(stage: str, *, judges: bool = True) -> str:
    """Return what a step does, in words; of one that is not known here, its name without underscores."""
    return (
        ("" if judges else _PLAIN.get(stage))
        or _TITLES.get(stage)
        or stage.replace("_", " ").capitalize()
    )
