"""`citeloom eval ragas`: answers with their contexts, judged by the measures of LLM-Ref's appendix A.6."""
