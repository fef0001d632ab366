"""Broken files and their faults; docs/bad-input.md contains the error messages for them."""

import gzip
import io
import sys
import tarfile
from functools import cache

from stats_core.core.errors import FoldwiseError
from stats_core.io.read import read_results


def tar_of(name, content):
    """Return a tar file with one file."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


HEAD = b"dataset,algorithm,fold,error\n"
GOOD = HEAD + b"iris,rf,1,0.1\niris,svm,1,0.2\n"
COUNTS = b"dataset,algorithm,fold,tp,fp,tn,fn\n"
FILES = [
    ("empty file", "a.csv", b""),
    ("blank lines only", "a.csv", b"\n\n  \n"),
    ("separators only", "a.csv", b";;\n;;\n"),
    ("header only", "a.csv", HEAD),
    ("zip file", "a.zip", b"PK\x03\x04\x14\x00rest"),
    ("tar without tables", "a.tar", tar_of("a.png", b"x")),
    (
        "log without scores",
        "samples_a_2024-05-01T10-00-00.1.jsonl",
        b'{"doc_id": 0, "doc": {}, "ppl": [1, 2]}\n',
    ),
    ("lists of solved instances only", "a.json", b'{"resolved": ["x-1"], "no_logs": []}'),
    ("broken Excel workbook", "a.xlsx", b"PK\x03\x04\x14\x00[Content_Types].xml"),
    ("old Excel workbook", "a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1"),
    ("PDF", "a.pdf", b"%PDF-1.7 ..."),
    ("broken Parquet file", "a.parquet", b"PAR1\x15\x04"),
    ("broken Feather file", "a.feather", b"ARROW1\0\0\x15\x04"),
    ("picture", "a.png", b"\x89PNG\r\n\x1a\n"),
    ("web page", "a.csv", b"<!DOCTYPE html><html></html>"),
    ("JSON that breaks off", "a.json", b'[{"dataset": "iris",\n"algorithm": '),
    ("JSON without records", "a.json", b'{"title": "results", "year": 2026}'),
    ("a broken line of JSON", "a.jsonl", b'{"a": 1}\n{"a": 2}\n{"a": \n'),
    ("ARFF without attributes", "a.arff", b"@relation iris\n@data\n"),
    ("ragged Markdown", "a.md", b"| set | a |\n|---|---|\n| x | 0.1 | 0.2 | 0.3 |\n"),
    (
        "ragged LaTeX",
        "a.tex",
        b"\\begin{tabular}{lc}\nset & a\\\\\nx & 1 & 2 & 3\\\\\n\\end{tabular}",
    ),
    ("LaTeX without rows", "a.tex", b"\\begin{tabular}{lc}\\hline\\end{tabular}"),
    ("binary", "a.csv", b"a,b\n\x00\x01\x02"),
    ("truncated gzip", "a.csv.gz", gzip.compress(GOOD, mtime=0)[:-6]),
    ("gzip in gzip", "a.gz", gzip.compress(gzip.compress(GOOD, mtime=0), mtime=0)),
    ("no header", "a.csv", b"0.12,0.15,0.2\n0.13,0.11,0.1\n"),
    ("two columns of one name", "a.csv", b"dataset,algorithm,error,error\nx,a,1,2\n"),
    ("column without a name", "a.csv", b"dataset,algorithm,,error\nx,a,1,0.2\n"),
    ("a row too long", "a.csv", GOOD + b"iris,knn,1,0.1,0.3\n"),
    ("several rows too long", "a.csv", GOOD + b"iris,k,n,1,0.1\niris,m,p,1,0.1\n"),
    ("a row too short", "a.csv", GOOD + b"iris,knn\n"),
    ("one column only", "a.csv", b"dataset model fold error\niris rf 1 0.1\n"),
    ("results from the first line on", "a.csv", b"iris,rf,1,0.1\niris,svm,1,0.2\n"),
    (
        "comma for decimals or thousands",
        "a.csv",
        b"dataset;algorithm;fold;mae\nx;a;1;1,234\nx;b;1;2,345\n",
    ),
    ("quotation marks across lines", "a.csv", HEAD + b'iris,"rf\n,1,0.1\niris,"svm,1,0.2\n'),
    ("percent sign in some cells", "a.csv", HEAD + b"iris,rf,1,10%\niris,svm,1,0.2\n"),
    ("open quotation mark", "a.csv", HEAD + b'iris,"rf,1,0.1\niris,svm,1,0.2\n'),
    ("open quotation mark in a large header", "a.csv", b'"' + GOOD + b"iris,rf,1,0.1\n" * 10_000),
    ("row after a huge cell", "a.csv", HEAD + b"iris," + b"r" * 140_000 + b",1,0.1\niris,svm\n"),
    (
        "number of 4,400 digits",
        "a.csv",
        HEAD + b"iris,rf,1," + b"9" * 4400 + b"x\niris,svm,1,0.2\n",
    ),
    (
        "letter with hundreds of accents",
        "a.csv",
        GOOD + ("iris,a" + "\u0301" * 300).encode() + b",1,0.1\n",
    ),
    ("name of thousands of characters", "a.csv", GOOD + b"iris," + b"r" * 4000 + b",1,0.1\n"),
    ("too many columns", "a.csv", b",".join(b"c%d" % i for i in range(20_001)) + b"\n1\n"),
    ("gzip of newlines", "a.csv.gz", gzip.compress(b"\n" * 30_000_000, mtime=0)),
    (
        "an algorithm in every row",
        "a.csv",
        HEAD + b"".join(b"iris,%d,1,0.%d\n" % (i, i) for i in range(1, 2002)),
    ),
    (
        "text for a number",
        "a.csv",
        HEAD + b"iris,rf,1,see log\niris,svm,1,0.2\niris,k,1,see log\niris,q,1,0.3\n",
    ),
    ("two kinds of problem", "a.csv", HEAD + b"iris,rf,1,oops\n,svm,1,0.2\niris,k,1,0.1\n"),
    ("infinite value", "a.csv", HEAD + b"iris,rf,1,inf\niris,svm,1,0.2\n"),
    ("negative rate", "a.csv", HEAD + b"iris,rf,1,-0.1\niris,svm,1,0.2\n"),
    ("rate above 100", "a.csv", HEAD + b"iris,rf,1,120\niris,svm,1,30\n"),
    (
        "percent and fractions mixed",
        "a.csv",
        b"dataset,algorithm,fold,accuracy\niris,rf,1,0.83\niris,svm,1,97.2\n",
    ),
    (
        "one algorithm in percent, another in fractions",
        "a.csv",
        HEAD + b"iris,rf,1,0.05\niris,rf,2,0.07\niris,svm,1,5.2\niris,svm,2,6.1\n",
    ),
    ("folds numbered apart", "a.csv", HEAD + b"iris,rf,1,0.1\niris,svm,2,0.2\n"),
    ("the same key twice", "a.csv", GOOD + b"iris,rf,1,0.3\n"),
    ("many keys twice", "a.csv", GOOD + GOOD[len(HEAD) :] + GOOD[len(HEAD) :]),
    ("no name for an algorithm", "a.csv", GOOD + b"iris,,1,0.3\n"),
    ("no name for a data set", "a.csv", GOOD + b",rf,1,0.3\n"),
    ("no fold number", "a.csv", GOOD + b"iris,rf,,0.3\n"),
    ("no algorithm column", "a.csv", b"task,kind,fold,error\nx,p,1,0.1\nx,q,1,0.2\n"),
    ("no known measure", "a.csv", b"dataset,algorithm,fold,quality\nx,p,1,0.1\nx,q,1,0.2\n"),
    ("no number at all", "a.csv", b"dataset,algorithm,remark\nx,p,fine\nx,q,good\n"),
    ("percentages for counts", "a.csv", COUNTS + b"x,p,1,80%,10%,90%,20%\n"),
    (
        "sizes below 1",
        "a.csv",
        b"dataset,algorithm,fold,error,n_train,n_test\nx,a,1,0.1,-5,3\nx,a,2,0.1,5,0\n",
    ),
    ("correlation above 1", "a.csv", b"dataset,algorithm,fold,mcc\nx,a,1,5\nx,b,1,0.2\n"),
    ("scores from 0 to 100", "a.csv", b"algorithm,fold,true,score\na,1,1,90\na,1,0,30\n"),
    ("infinite score", "a.csv", b"algorithm,fold,true,score\na,1,1,inf\na,1,0,-0.3\n"),
    ("text among the scores", "a.csv", b"algorithm,fold,true,score\na,1,1,high\na,1,0,0.3\n"),
    ("rates for counts", "a.csv", COUNTS + b"x,p,1,0.8,0.1,0.9,0.2\n"),
    ("negative count", "a.csv", COUNTS + b"x,p,1,-8,1,9,2\n"),
    (
        "accuracy that contradicts the counts",
        "a.csv",
        COUNTS.replace(b"fn", b"fn,accuracy") + b"x,p,1,8,1,9,2,0.7\n",
    ),
    ("wide table of numbers only", "a.csv", b"rf,svm\n0.9,0.8\n0.7,0.6\n"),
    ("algorithms on different instances", "a.csv", COUNTS + b"x,p,1,8,1,9,2\nx,q,1,8,1,9,3\n"),
    (
        "transposed wide table",
        "a.csv",
        b"alg,"
        + b",".join(b"d%d" % i for i in range(1001))
        + b"\n"
        + b"rf"
        + b",0.5" * 1001
        + b"\n",
    ),
    ("instance without a label", "a.csv", b"algorithm,fold,true,score\na,1,1,0.9\na,1,,0.1\n"),
    ("an instance given twice", "a.csv", b"algorithm,fold,case,true,pred\na,1,1,0,0\na,1,1,0,1\n"),
    (
        "an instance without a name",
        "a.csv",
        b"algorithm,fold,case,true,pred\na,1,1,0,0\na,1,,1,1\nb,1,1,0,0\nb,1,2,1,1\n",
    ),
    (
        "an instance with two labels",
        "a.csv",
        b"algorithm,fold,case,true,pred\na,1,1,0,0\nb,1,1,1,1\n",
    ),
    ("labels in two codings", "a.csv", b"algorithm,true,pred\na,ham,ham\na,spam,junk\n"),
    ("scores of three classes", "a.csv", b"algorithm,true,score\na,x,0.9\na,y,0.1\na,z,0.2\n"),
    ("unknown design", "a.csv", b"dataset,algorithm,fold,error,design\nx,a,1,0.1,mine\n"),
    ("ranks of some algorithms", "a.csv", b"algorithm,average rank\na,1.3\nb,2.1\nc,2.2\n"),
    ("ranks 1 to k, not average ranks", "a.csv", b"algorithm,rank\na,1\nb,2\nc,3\n"),
    (
        "wins of unequal numbers",
        "a.csv",
        b"row wins w/t/l,a,b,c\na,,5/1/4,6/0/4\nb,,,3/1/4\nc,,,\n",
    ),
    ("order of wins, ties and losses not given", "a.csv", b"row wins,a,b\na,,5/1/4\nb,,\n"),
    ("both better", "a.csv", b"row beats column,a,b,c\na,0,1,1\nb,1,0,0\nc,0,0,0\n"),
]


@cache
def message(name: str, content: bytes) -> str:
    """Return the error message for a file, "" without an error."""
    try:
        read_results((name, content))
    except FoldwiseError as error:
        return str(error)
    return ""


def render() -> str:
    """Return the table of error messages as Markdown."""
    lines = [
        "# Messages about broken files",
        "",
        "Generated by `python -m tests.io.bad_files`. A test checks that it is current.",
        "",
        "| file | message |",
        "|---|---|",
    ]
    for title, name, content in FILES:
        text = message(name, content).replace("|", "\\|").replace("\n", "<br>")
        lines.append(f"| {title} | {text} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render())
