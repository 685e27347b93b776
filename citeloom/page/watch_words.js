// Every text of watches.
// @ts-check

export const V = {
  title: "Watches", lead: "CiteLoom repeats a search and reports what is new: papers, what they change in your section, published versions, retractions. It reports nothing twice.",
  none: "Nothing is watched yet. Open a finished review or search and press “Watch this”.", runs: "Your runs",
  away: "This server keeps no watches. Watch on your own computer: open CiteLoom there.",
  this: "Watch this", watching: "Watch", name: "Name of the watch", nameHint: "Letters, digits, - and _", every: "How often", days: {1: "Every day", 7: "Every week", 30: "Every month"}, other: "Every",
  usd: "Stop each check at", usdHint: "0.50", cost: "A check asks the model only up to this cost. What is left then comes with the next check.",
  free: "No model is connected: a check costs only what paid sources charge. It ranks papers by meaning, words, links and age.",
  go: "Start watching", cancel: "Cancel",
  who: "CiteLoom does not check by itself, even while this page is open. Press “Check now”, or set up a daily check.",
  how: "Set up a daily check", cron: "Add this line with “crontab -e”. It checks what is due, writes the digests and mails them if you set that up.", line: "15 6 * * *  citeloom watch run",
  elsewhere: "The documentation has the same for systemd and GitHub, under “Watching”. A schedule of the LangGraph server can run the search, but does not know what it reported before.",
  check: "Check now", checking: "Checking…", progress: "Show the progress", stop: "Stop watching", stopSure: "Stop watching this, and delete its digests? The runs of its checks stay.",
  last: "Last check", never: "not checked yet", due: "due", next: "next due", most: "at most", usdUnit: "USD a check", calls: "of the model a check", from: "from the run", sources: "in",
  nothing: "Nothing new at the last check.", digests: "Digests", digest: "Digest", since: "papers from", on: "on", searched: "Searched", failed: "Not searched:", failedNext: "The next check starts from the same day.", undone: "Not done:", untold: "more reached the bar.", untoldSee: "Show them",
  kinds: {retracted: "Retracted", new: "New papers", published: "Now published", notice: "Notice of the publisher"},
  relevance: "Relevance", of100: "of 100", judged: "judged by", unjudged: "by meaning, shared words, links and age; no model judged it", bar: "bar",
  changes: {contradicts: "Contradicts", extends: "Extends", same: "Says the same as", nearest: "Nearest to (not compared):", none: "Changes no sentence of the section."},
  sentence: "sentence", section: "of your section:", it: "It",
};
