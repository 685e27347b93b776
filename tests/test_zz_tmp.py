import os, json
from pathlib import Path
from typer.testing import CliRunner
from citeloom.cli import app
from tests.support import ABSTRACT, small_records
VOLC="Basaltic andesite lavas of an arc volcano record mantle melting and crustal assimilation. We measured strontium and neodymium isotope ratios, trace elements and olivine-hosted melt inclusions in forty tephra layers. The magmas stalled in a shallow reservoir where plagioclase and clinopyroxene crystallised before eruption. Degassing of sulphur and chlorine preceded each eruption by several days."
DE="Das Schreiben einer Literaturübersicht kostet Forschende viele Wochen, weil einschlägige Arbeiten über viele Orte verstreut sind. Wir stellen einen Agenten vor, der Arbeiten sucht, dem Zitationsgraphen folgt und jedes Zitat Wort für Wort prüft. Die Ergebnisse zeigen, dass die Prüfung die meisten unbelegten Behauptungen entfernt."
ZH="撰写文献综述需要研究人员花费数周时间，因为相关论文分散在许多会议和期刊中。我们提出一个智能体，它检索候选论文，沿着引文图扩展，并逐字检查每一条引用。结果表明，检查引文可以去除大多数没有依据的说法。"
def test_b(home, abstract):
    h=Path.cwd()
    (h/"bin.dat").write_bytes(bytes(range(256))*40); (h/"bin0.txt").write_bytes(b"abc\0def def def def "*10); (h/"x.pdf").write_bytes(b"%PDF-1.7\n\xe2\xe3 stuff"); (h/"dir").mkdir(); (h/"empty.txt").write_text(""); (h/"big.txt").write_text("word and word "*15000)
    (h/"file").write_text("x")
    (h/"bad.bib").write_text("@article{a, title={Unclosed\n\n@article{b, title={Good paper on retrieval}, author={Ann Lee}, year={2020}, abstract={We present a retrieval method for papers. It finds papers well.}}\n")
    (h/"allbad.bib").write_text("@article{a, title={Unclosed\n")
    (h/"plan.txt").write_text("1. Contrast [99] with [arxiv:9999.99999]\n2. Cite [1]\n")
    (h/"notjson.json").write_text("{nope")
    (h/"emptyp.json").write_text('{"papers": []}')
    (h/"list.json").write_text('{"papers": ["x", 3]}')
    own=small_records()[10]
    for name,args,inp in [
      ("empty arg",["review",""],None),("no arg",["review"],None),("stdin empty",["review","-"],""),("emptyfile",["review","empty.txt"],None),
      ("two words",["review","two words"],None),("200k",["review","big.txt"],None),("200k stdin",["review","-"],"word and word "*15000),("bin",["review","bin.dat"],None),("bin0",["review","bin0.txt"],None),("pdf",["review","x.pdf"],None),("dir",["review","dir"],None),
      ("missing",["review","nofile.md"],None),("missing2",["review","/no/such/file"],None),("unk lib",["review",abstract,"--library","nolib"],None),("badlibname",["review",abstract,"--library","../x"],None),("unk src",["review",abstract,"--library","small","--source","pubmed"],None),
      ("out under file",["review",abstract,"--library","small","--out","file/x"],None),("out proc",["review",abstract,"--library","small","--out","/proc/x"],None),("out is file",["review",abstract,"--library","small","--out","file"],None),
      ("bad.bib",["write",abstract,"--papers","bad.bib"],None),("allbad",["write",abstract,"--papers","allbad.bib"],None),("nopapers",["write",abstract],None),("papers missing",["write",abstract,"--papers","no.bib"],None),("papers notjson",["write",abstract,"--papers","notjson.json"],None),("papers empty",["write",abstract,"--papers","emptyp.json"],None),("papers list",["write",abstract,"--papers","list.json"],None),("paper unknown",["write",abstract,"--paper","arxiv:9999.99999"],None),
      ("de",["review",DE,"--library","small"],None),("zh",["review",ZH,"--library","small"],None),
      ("own",["review",f"# {own.title}\n\n{own.abstract}","--library","small"],None),("own2",["review",own.abstract,"--library","small"],None),
      ("plan",["review",abstract,"--library","small","--plan","plan.txt"],None),("plan missing",["review",abstract,"--library","small","--plan","noplan"],None),("plan empty",["review",abstract,"--library","small","--plan","empty.txt"],None),
      ("volc",["review",VOLC,"--library","starter"],None),("volcfind",["find",VOLC,"--library","starter"],None),
      ("date",["review",abstract,"--library","small","--before","yesterday"],None),("date2",["review",abstract,"--library","small","--before","2020-13-01"],None),("date1900",["review",abstract,"--library","small","--before","1900-01-01"],None),
      ("keep0",["review",abstract,"--library","small","--keep","0"],None),("keep10000",["review",abstract,"--library","small","--keep","10000"],None),("cite0",["review",abstract,"--library","small","--cite","0"],None),("wcite0",["write",abstract,"--library","small","--cite","0","--paper",own.id],None),
      ("mind llm",["review",abstract,"--library","small","--mind","llm"],None),("mind llm w",["write",abstract,"--library","small","--mind","llm","--paper",own.id],None),("mind x",["review",abstract,"--mind","x"],None),("resume unk",["review","--resume","nope"],None),
      ("calls",["review",abstract,"--library","small","--max-calls","5"],None),
      ("calls 15",["review",abstract,"--library","small","--max-calls","15"],None),
      ("usd",["review",abstract,"--library","small","--max-usd","0"],None),
      ("inc unk",["review",abstract,"--library","small","--include","arxiv:9999.99999"],None),
      ("lib bad", ["library","add","bad.bib","-l","mine"],None),
    ]:
        out=h/("out-"+name.replace(" ","_"))
        a=list(args)
        if "--out" not in a and a[0]!="library": a+=["--out",str(out)]
        r=CliRunner().invoke(app,a,input=inp)
        print("=====",name,"->",r.exit_code, "stdout", len(r.stdout), sorted(os.listdir(out)) if out.is_dir() else "-")
        if r.exception and not isinstance(r.exception,SystemExit): print("EXC",repr(r.exception)); 0
        print("\n".join(l for l in r.stderr.splitlines() if ":" not in l[:22] or "citeloom" in l or "Note" in l or "Not done" in l or "Error" in l)[-1200:])
        if name=="lib bad": print(r.stdout)
    runs=sorted((home/"runs").glob("*.json")); 
    r=CliRunner().invoke(app,["find","--resume",runs[-1].stem]); print(r.exit_code,r.stderr)
    r=CliRunner().invoke(app,["review","--resume",runs[-1].stem]); print(r.exit_code,r.stderr)
