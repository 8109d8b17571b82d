// How results of a search are ordered: the page of the name that was typed comes first.
const typed = new URLSearchParams(location.search).get("q")?.trim().toLowerCase() || "";
const packages = /cupy|wrappers|frontend|\.torch|theano|^libcudnn$|gocudnn|\bforks?\b|^(gpu)?dnn/;
const old = /\bold\b|\bheaders\b|cudnn [1-7]\b/;
const others = /^python\/(libcudnn|cupy|cupy-backends|frontend)$/;

// What a page says is shown below its title; pages that are files cannot be read for that.
DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";

var Scorer = {
  score: ([page, title, , , score]) => {
    const name = title.toLowerCase().replace("cudnn ", "");
    if (/^(names|releases|guide)\//.test(page) && name === typed) return score + 100;
    if (title.split(".").pop().toLowerCase() === typed && !others.test(page)) return score + 50;
    if (/^guide\/porting\//.test(page) && packages.test(typed))
      return score + (page.endsWith("cupy") && /cupy/.test(typed) ? 40 : 20);
    if (page === "guide/porting/README" && old.test(typed)) return score + 20;
    if (page === "guide/troubleshooting" && /error|status/.test(typed)) return score + 5;
    if (page === "guide/torch" && /^torch\./.test(typed)) return score + 20;
    if (/^(start|guide)\/[^/]+$/.test(page) && page !== "guide/api-changes") return score + 2;
    return others.test(page) || page === "guide/api-changes" ? score - 10 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
