"""Subjects of commits: imperative and short.

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
from pathlib import Path

# Commits after this one are read; history is not rewritten.
SINCE = "07ee21d94efa9be59c758b04bc2de8d6cf4d7f38"
MAX_LENGTH = 72
# What subjects begin with. A verb that is missing is added here.
VERBS = frozenset("""
accept adapt add adjust adopt aim align allocate allow anchor announce answer apply arrange ask
assert assign attach attack avoid await back balance base batch begin bind blame bound break bring
budget build bump bundle cache calibrate call cancel cap carry centralize chain change check choose
chunk clamp clarify clean clear close collect combine commit compare compile complete compose
compress compute concatenate configure confine connect consider contain continue convert copy
correct count cover create cross cut decide declare decode decouple decrease deduplicate default
defer define delay delegate delete demote deprecate derive describe detach detect disable discard
dispatch display distinguish distribute divide document double download draft draw drop dump
eliminate embed embrace emit enable encode encrypt end enforce enlarge ensure enter enumerate equal
escape estimate evaluate exchange exclude execute exit expand expect explain export expose express
extend extract fail fake fall fence fetch fill filter finalize find finish fit fix flag flatten fold
follow forbid force fork format forward free freeze fuse gate gather generate get give group guard
hand handle hash help hide highlight hint hoist hold honor ignore implement import improve include
increase index infer initialize inject inline insert inspect install instrument integrate interleave
intern interpret introduce invalidate invoke isolate iterate join judge keep label lay lead learn
leave let level lift limit link lint list load localize lock log look loosen lose lower maintain
make manage map mark match measure mend mention merge migrate mirror mock modernize monitor mount
move multiply mutate name narrow negate nest normalize note nudge number obey obtain offer omit open
operate optimize order outline overlap override overwrite own pack pad parallelize parse pass patch
pause permit pick pin pipeline place plan plot point poison pool port post precompile prefer
prefetch prefix prepare preserve pretend prevent print prioritize privatize probe process produce
profile project promote propagate protect prove prune publish pull purge push put quantize query
quit quote raise randomize rank rate reach read rearrange rebalance rebuild recognize recompute
reconcile record recover redirect redraw reduce refactor refer reformat refuse regenerate register
reinstate reject relax release reload relocate rely remove rename render renew reorder repack repair
repeat replace report reproduce request require reserve reset resize resolve respect restore
restrict restructure resume retain retire retry return retype reuse reverse revert review revise
rework rewrite rotate round route run sample save say scale scan scatter schedule score search seed
select send separate serialize serve set settle shape share shift shorten show shrink shuffle sign
silence simplify simulate sink size skip slice snapshot sort spare specialize specify speed spell
spill split spread squash stabilize stack stage stamp standardize start state stay step stick stop
store straighten stream strengthen stretch strip structure stub submit substitute subtract sum
summarize support suppress surface swap sweep switch synchronize tag take target teach tell test
thread throw tidy tie tighten time title toggle tolerate touch trace track transfer translate
transpose traverse treat trim truncate trust try tune turn type unblock undefine undo unfold unify
uninstall unite unlink unlock unpack unpin unroll unset untangle unwrap update upgrade upload use
validate vary vectorize vendor verify version view visit wait walk warn weigh widen wire wrap write
zero
""".split())


def problems(subject: str) -> list[str]:
    first = re.match(r"[A-Za-z-]*", subject)
    found = []
    if not first or not first[0][:1].isupper() or first[0].lower() not in VERBS:
        found.append("begin with an imperative verb, such as 'Add' or 'Fix' (a verb that "
                     "tools/lint/subjects.py lacks is added there)")
    if len(subject) > MAX_LENGTH:
        found.append(f"{len(subject)} characters, more than {MAX_LENGTH}")
    if subject.endswith("."):
        found.append("ends with a full stop")
    return found


def commits(root: Path) -> list[tuple[str, str]] | None:
    """Hashes and subjects since then, without merges; None if the history is not there."""
    try:
        done = subprocess.run(["git", "log", "--no-merges", "--format=%h %s", f"{SINCE}..HEAD"],
                              cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    if done.returncode != 0:
        return None
    return [(name, subject) for name, _, subject in
            (line.partition(" ") for line in done.stdout.splitlines())]
