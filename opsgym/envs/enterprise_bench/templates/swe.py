"""SWE: repositories, files, issues, questions and answers."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_bench.access import Operation
from opsgym.envs.enterprise_bench.answers import Date, Ids, Number, Text, Word
from opsgym.envs.enterprise_bench.draft import Draft, Row, Tables
from opsgym.envs.enterprise_bench.naming import Named
from opsgym.envs.enterprise_bench.sources.code import LICENSES
from opsgym.envs.enterprise_bench.template import Catalogue, Unfit
from opsgym.envs.enterprise_bench.templates.common import employee_of, fetch, shared_first_name, whole

CATALOGUE = Catalogue("swe")

LANGUAGES = ("Python", "Go", "Java", "TypeScript")

_OWNER = "(SELECT count(*) FROM repository r WHERE r.emp_id = e.emp_id) > 0"
_UNIQUE = "(SELECT count(*) FROM repository o WHERE o.repo_name = r.repo_name) = 1"


def _repository(draft: Draft, where: str = "1") -> Row:
    return draft.some(f"SELECT r.* FROM repository r WHERE {_UNIQUE} AND ({where}) ORDER BY r.repo_id")


def _reader(draft: Draft, repo: Row) -> Named:
    """Who may read a repository asks; how the request names the repository."""
    draft.persona(reads=("repository", repo["repo_id"]), **whole("repository", draft))
    return draft.thing("repository", repo)


def _repo_of(tables: Tables, repo_id: str) -> Row:
    return next(row for row in tables["repository"] if row["repo_id"] == repo_id)


@CATALOGUE.search()
def my_licensed(draft: Draft) -> None:
    """One's repositories under a licence."""
    me = draft.persona(_OWNER)
    chosen = draft.some("SELECT license FROM repository WHERE emp_id = :me ORDER BY repo_id", me=me["emp_id"])["license"]
    draft.ask(
        f"Can you fetch the names of all my {chosen} licensed repositories?",
        f"I need the names of the repositories that I own under the {chosen} licence.",
    )
    draft.look("List my repositories", "code", "github_list_my_repositories")
    found = draft.truth(
        "SELECT repo_name FROM repository WHERE emp_id = :me AND license = :chosen",
        lambda tables: [r["repo_name"] for r in tables["repository"] if [r["emp_id"], r["license"]] == [me["emp_id"], chosen]],
        me=me["emp_id"],
        chosen=chosen,
    )
    draft.answer(Ids(values=tuple(found), noun="repository names"))


@CATALOGUE.search()
def my_newest(draft: Draft) -> None:
    """One's newest repository."""
    me = draft.persona(_OWNER)
    draft.ask(
        "Which of my repositories have I created most recently? Give me the name, or all names if several are equally new.",
        "What is the name of the repository that I created last? If I created several on that day, list them all.",
    )
    draft.look("List my repositories", "code", "github_list_my_repositories")
    found = draft.truth(
        "SELECT repo_name FROM repository WHERE emp_id = :me AND creation_date ="
        " (SELECT max(creation_date) FROM repository WHERE emp_id = :me)",
        lambda tables: _newest([r for r in tables["repository"] if r["emp_id"] == me["emp_id"]]),
        me=me["emp_id"],
    )
    draft.answer(Ids(values=tuple(found), noun="repository names"))


def _newest(rows: list[Row]) -> list[str]:
    last = max(dt.date.fromisoformat(row["creation_date"]) for row in rows)
    return [row["repo_name"] for row in rows if row["creation_date"] == last.isoformat()]


@CATALOGUE.search()
def my_with_issues(draft: Draft) -> None:
    """One's repositories that have issues of a status."""
    issues = "SELECT i.status FROM issue i JOIN repository r ON r.repo_id = i.repo_id"
    me = draft.persona(f"EXISTS ({issues} WHERE r.emp_id = e.emp_id)")
    status = draft.some(f"{issues} WHERE r.emp_id = :me ORDER BY i.id", me=me["emp_id"])["status"]
    draft.ask(
        f"List the names of all my repositories that have {status} issues.",
        f"Which of the repositories that I own have at least one {status} issue? I need the names.",
    )
    draft.look("List my repositories", "code", "github_list_my_repositories")
    mine = draft.rows("SELECT repo_id, repo_name FROM repository WHERE emp_id = :me ORDER BY repo_id", me=me["emp_id"])
    for repo in mine:
        draft.look(
            f"List the issues of {repo['repo_name']}", "code", "github_list_issues_of_repository", repo_name=repo["repo_name"]
        )
    found = draft.truth(
        "SELECT DISTINCT r.repo_name FROM repository r JOIN issue i ON i.repo_id = r.repo_id"
        " WHERE r.emp_id = :me AND i.status = :status",
        lambda tables: {
            repo["repo_name"]
            for repo in mine
            for item in tables["issue"]
            if (item["repo_id"], item["status"]) == (repo["repo_id"], status)
        },
        me=me["emp_id"],
        status=status,
    )
    draft.answer(Ids(values=tuple(found), noun="repository names"))


@CATALOGUE.search("not_permitted", "not_existing", "out_of_scope")
def language(draft: Draft) -> None:
    """The language of a repository."""
    repo = _repository(draft, f"r.language = '{draft.draw.choice(LANGUAGES)}'")
    named = _reader(draft, repo)
    draft.ask(
        f"Can you tell me [the programming language of] {named}?",
        f"I need to know [the language of] {named}.",
        of="repository",
    )
    draft.look("Read the repository", "code", "github_get_repository_contents", **named.by)
    value = draft.truth(
        "SELECT language FROM repository WHERE repo_id = :id",
        lambda tables: _repo_of(tables, repo["repo_id"])["language"],
        id=repo["repo_id"],
    )
    draft.answer(Word(value=value, options=LANGUAGES))


@CATALOGUE.search("not_permitted", "not_existing", "out_of_scope")
def open_issues(draft: Draft) -> None:
    """Open issues of a repository."""
    repo = _repository(draft, "EXISTS (SELECT 1 FROM issue i WHERE i.repo_id = r.repo_id AND i.status = 'open')")
    named = _reader(draft, repo)
    draft.ask(
        f"I need [the ids of the open issues of] {named}.",
        f"Please tell me [the ids of all open issues of] {named}.",
        of="repository",
    )
    draft.look("List the issues", "code", "github_list_issues_of_repository", **named.by)
    found = draft.truth(
        "SELECT id FROM issue WHERE repo_id = :id AND status = 'open'",
        lambda tables: [i["id"] for i in tables["issue"] if i["repo_id"] == repo["repo_id"] and i["status"] != "closed"],
        id=repo["repo_id"],
    )
    draft.answer(Ids(values=tuple(found), noun="issue ids"))


@CATALOGUE.search("not_permitted", "not_existing", "out_of_scope")
def issue_path(draft: Draft) -> None:
    """The file that an issue is about."""
    issue = draft.some(
        f"SELECT i.*, r.repo_name FROM issue i JOIN repository r ON r.repo_id = i.repo_id WHERE i.path IS NOT NULL AND {_UNIQUE}"
        " AND (SELECT count(*) FROM issue o WHERE o.repo_id = i.repo_id AND o.title = i.title) = 1 ORDER BY i.id"
    )
    named = _reader(draft, issue)
    draft.ask(
        f'Can you tell me [the path of the file named by] the issue "{issue["title"]}" of {named}?',
        f'I need [the path of the file behind] the issue "{issue["title"]}" of {named}.',
        of="issue",
    )
    draft.look("List the issues", "code", "github_list_issues_of_repository", **named.by)
    draft.look("Read the issue", "code", "github_get_issue", id=issue["id"])
    value = draft.truth(
        "SELECT path FROM issue WHERE id = :id",
        lambda tables: next(i["path"] for i in tables["issue"] if i["id"] == issue["id"]),
        id=issue["id"],
    )
    draft.answer(Text(value=value, noun="path"))


@CATALOGUE.search("not_permitted", "out_of_scope")
def reported_issues(draft: Draft) -> None:
    """How many issues of a repository somebody reported."""
    issue = draft.some(
        f"SELECT i.*, r.repo_name FROM issue i JOIN repository r ON r.repo_id = i.repo_id WHERE {_UNIQUE} ORDER BY i.id"
    )
    named = _reader(draft, issue)
    other = issue["reported_by"]
    who = "I" if draft.me["emp_id"] == other else draft.person(other)
    draft.ask(
        f"For our review I need [the number of issues, open and closed, that {who} reported in] {named}.",
        f"I'd like to know [how many issues of any status {who} reported in] {named}.",
        of="repository",
    )
    draft.look("List the issues", "code", "github_list_issues_of_repository", **named.by)
    value = draft.truth(
        "SELECT count(*) FROM issue WHERE repo_id = :id AND reported_by = :other",
        lambda tables: [(i["repo_id"], i["reported_by"]) for i in tables["issue"]].count((issue["repo_id"], other)),
        id=issue["repo_id"],
        other=other,
    )
    draft.answer(Number(value=value, unit="issues"))


@CATALOGUE.search("not_permitted", "out_of_scope")
def owner_boss(draft: Draft) -> None:
    """To whom the owner of a repository reports."""
    repo = _repository(draft, "EXISTS (SELECT 1 FROM employee o WHERE o.emp_id = r.emp_id AND o.reports_to IS NOT NULL)")
    named = _reader(draft, repo)
    draft.ask(
        f"Please find out [the employee id of the boss of the owner of] {named} for me.",
        f"Tell me [the employee id of the boss of whoever owns] {named}, please.",
        of="repository",
    )
    draft.look("Read the repository", "code", "github_get_repository_contents", **named.by)
    fetch(draft, repo["emp_id"])
    value = draft.truth(
        "SELECT o.reports_to FROM repository r JOIN employee o ON o.emp_id = r.emp_id WHERE r.repo_id = :id",
        lambda tables: employee_of(tables, _repo_of(tables, repo["repo_id"])["emp_id"])["reports_to"],
        id=repo["repo_id"],
    )
    draft.answer(Text(value=value, noun="employee id"))


@CATALOGUE.search()
def tagged_questions(draft: Draft) -> None:
    """One's questions that nobody's accepted answer settles."""
    me = draft.persona(
        "EXISTS (SELECT 1 FROM question q WHERE q.emp_id = e.emp_id AND NOT EXISTS"
        " (SELECT 1 FROM answer a WHERE a.question_id = q.question_id AND a.is_accepted))"
    )
    draft.ask(
        "Which of the questions that I asked have no accepted answer yet? I need their ids.",
        "List the ids of my questions in the internal forum for which I have not accepted an answer.",
    )
    draft.look("List my questions", "overflow", "overflow_list", emp_id=me["emp_id"])
    mine = [
        row["question_id"]
        for row in draft.rows("SELECT question_id FROM question WHERE emp_id = :me ORDER BY 1", me=me["emp_id"])
    ]
    for key in mine:
        draft.look(f"Read question {key}", "overflow", "overflow_read", question_id=key)
    found = draft.truth(
        "SELECT question_id FROM question q WHERE emp_id = :me AND NOT EXISTS"
        " (SELECT 1 FROM answer a WHERE a.question_id = q.question_id AND a.is_accepted)",
        lambda tables: {*mine} - {a["question_id"] for a in tables["answer"] if a["is_accepted"]},
        me=me["emp_id"],
    )
    draft.answer(Ids(values=tuple(found), noun="question ids"))


@CATALOGUE.search("out_of_scope")
def accepted_author(draft: Draft) -> None:
    """In which department who gave the accepted answer to a question works."""
    answer = draft.some(
        "SELECT a.*, q.title FROM answer a JOIN question q ON q.question_id = a.question_id WHERE a.is_accepted "
        "ORDER BY a.answer_id"
    )
    draft.persona("e.emp_id <> :other", other=answer["emp_id"])
    draft.ask(
        f"I need [the employee id of the author of the accepted answer to] question {answer['question_id']}.",
        f"For my notes, tell me [the employee id of whoever gave the accepted answer to] question {answer['question_id']}.",
        of="question",
    )
    draft.look("Read the question", "overflow", "overflow_read", question_id=answer["question_id"])
    value = draft.truth(
        "SELECT emp_id FROM answer WHERE question_id = :id AND is_accepted",
        lambda tables: next(a["emp_id"] for a in tables["answer"] if a["answer_id"] == answer["answer_id"]),
        id=answer["question_id"],
    )
    draft.answer(Text(value=value, noun="employee id"))


@CATALOGUE.search("not_permitted", "not_existing", "out_of_scope")
def creation_day(draft: Draft) -> None:
    """When a repository was created."""
    repo = _repository(draft)
    named = _reader(draft, repo)
    draft.ask(
        f"What is [the creation date of] {named}? I need it for my notes.",
        f"I need [the day of the creation of] {named}.",
        of="repository",
    )
    draft.look("Read the repository", "code", "github_get_repository_contents", **named.by)
    value = draft.truth(
        "SELECT creation_date FROM repository WHERE repo_id = :id",
        lambda tables: _repo_of(tables, repo["repo_id"])["creation_date"],
        id=repo["repo_id"],
    )
    draft.answer(Date(value=value))


# -- changes ------------------------------------------------------------------------------------------------


def _new_name(draft: Draft) -> str:
    """A name that no repository has."""
    first = draft.draw.choice(("harbor", "lantern", "copper", "meadow", "granite", "willow"))
    second = draft.draw.choice(("metrics", "scheduler", "billing", "gateway", "audit", "portal"))
    name = f"{first}-{second}-{draft.draw.randint(2, 99)}"
    if draft.value("SELECT 1 FROM repository WHERE repo_name = :name", name=name):
        raise Unfit("the name is taken")
    return name


@CATALOGUE.crud("not_permitted")
def create_repository(draft: Draft) -> None:
    """Create a repository."""
    draft.persona("e.department <> 'Engineering'" if draft.twin else "e.department = 'Engineering'")
    name, chosen = _new_name(draft), draft.draw.choice(LICENSES)
    draft.topic = f"the repository {name}"
    draft.ask(
        f"Create a repository {name} with the {chosen} licence for me.",
        f"I need a new repository of mine called {name}, licensed under {chosen}.",
    )
    if draft.twin is not None:
        draft.block("not_permitted", "Nothing lets me create repositories.")
    for column in ("language", "description"):
        draft.free("repository", column)
    draft.do("Create the repository", "code", "github_create_repository", repo_name=name, license=chosen)


@CATALOGUE.crud("not_permitted")
def set_license(draft: Draft) -> None:
    """Change the licence of a repository."""
    repo = _repository(draft)
    chosen = draft.draw.choice([item for item in LICENSES if item != repo["license"]])
    draft.persona(may=("repository", "update", repo["repo_id"]))
    named = draft.thing("repository", repo)
    draft.topic = f"the licence of {named}"
    draft.ask(
        f"Revise the licence of {named} to {chosen}, please; I have cleared it with Legal.",
        f"I want {named} to be under the {chosen} licence.",
    )
    _block(draft)
    draft.do("Change the licence", "code", "github_update_repository", repo_id=repo["repo_id"], license=chosen)


@CATALOGUE.crud("not_permitted", "not_existing")
def open_issue(draft: Draft) -> None:
    """Open an issue in a repository."""
    repo = _repository(draft)
    where = "1" if draft.twin == "not_permitted" else "e.department = 'Engineering'"
    draft.persona(where, reads=("repository", repo["repo_id"]), **whole("repository", draft))
    named = draft.thing("repository", repo)
    if draft.twin == "not_existing":
        draft.look("Read the repository", "code", "github_get_repository_contents", **named.by)
    title = draft.draw.choice(
        (
            "Timeouts under load",
            "Wrong rounding of totals",
            "Crash on empty input",
            "Typo in the help text",
            "Slow start after update",
        )
    )
    draft.topic = f"the issue in {named}"
    draft.ask(
        f'Open a new issue "{title}" in {named} for me.',
        f'I found a fault in {named}; please report it as an issue with the title "{title}".',
    )
    _block(draft)
    for column in ("description", "path", "patch"):
        draft.free("issue", column)
    draft.do("Open the issue", "code", "github_create_issue", **named.by, title=title, description=f"{title}.")


def _issue(draft: Draft, operation: Operation, where: str = "1") -> Row:
    issue = draft.some(
        f"SELECT i.*, r.repo_name FROM issue i JOIN repository r ON r.repo_id = i.repo_id WHERE {_UNIQUE} AND ({where})"
        " AND (SELECT count(*) FROM issue o WHERE o.repo_id = i.repo_id AND o.title = i.title) = 1 ORDER BY i.id"
    )
    draft.persona("1" if draft.twin else "e.department = 'Engineering'", may=("issue", operation, issue["id"]))
    return issue


@CATALOGUE.crud("not_permitted")
def close_issue(draft: Draft) -> None:
    """Close an issue that is told by its title."""
    issue = _issue(draft, "update", "i.status = 'open'")
    draft.topic = f'the issue "{issue["title"]}"'
    draft.ask(
        f'Please close the issue "{issue["title"]}" of {issue["repo_name"]} for me; it is settled.',
        f'The issue "{issue["title"]}" of {issue["repo_name"]} is settled. Close it for me, please.',
    )
    _block(draft)
    _list(draft, issue)
    draft.do("Close it", "code", "github_update_issue", id=issue["id"], status="closed")


@CATALOGUE.crud("not_permitted")
def delete_issue(draft: Draft) -> None:
    """Delete an issue that is told by its title."""
    issue = _issue(draft, "delete")
    draft.topic = f'the issue "{issue["title"]}"'
    draft.ask(
        f'Delete the issue "{issue["title"]}" from {issue["repo_name"]} for me, it is a duplicate.',
        f'I want the issue "{issue["title"]}" of {issue["repo_name"]} removed.',
    )
    _block(draft)
    _list(draft, issue)
    draft.do("Delete it", "code", "github_delete_issue", id=issue["id"])


@CATALOGUE.crud("ambiguous")
def tell_colleague(draft: Draft) -> None:
    """Write somebody a message."""
    me = draft.persona("e.department = 'Engineering'")
    target = draft.some("SELECT * FROM employee WHERE is_valid AND emp_id <> :me ORDER BY emp_id", me=me["emp_id"])
    who = shared_first_name(draft) if draft.twin else draft.person(target["emp_id"])
    day = (draft.today + dt.timedelta(days=draft.draw.randint(1, 9))).isoformat()
    draft.ask(
        f"Send {who} a message for me that the release moves to {day}.",
        f"I have to tell {who} in a message that our release is on {day}.",
    )
    tell(draft, target["emp_id"], f"The release moves to {day}.", day)


def tell(draft: Draft, emp_id: str, text: str, *needles: str) -> None:
    """Send a message whose words are free, but for some."""
    draft.free("message", "text", *needles)
    draft.free("conversation", "topic")
    draft.do("Send the message", "chats", "send_message", recipient_emp_id=emp_id, text=text)


@CATALOGUE.crud()
def answer_question(draft: Draft) -> None:
    """Answer a question."""
    question = draft.some("SELECT * FROM question ORDER BY question_id")
    draft.persona("e.emp_id <> :other", other=question["emp_id"])
    words = draft.draw.choice(("Restart the agent", "Clear the build cache", "Pin the older version", "Renew the token"))
    draft.topic = f"question {question['question_id']}"
    draft.ask(
        f'Answer question {question["question_id"]} in my name; the answer is "{words}".',
        f'I know what helps with question {question["question_id"]}; post an answer of mine that has the words "{words}".',
    )
    draft.free("answer", "body", words)
    draft.do("Post the answer", "overflow", "overflow_answer", question_id=question["question_id"], body=f"{words}.")


def _list(draft: Draft, issue: Row) -> None:
    if draft.twin is None:
        draft.look("Find the issue", "code", "github_list_issues_of_repository", repo_name=issue["repo_name"])


def _block(draft: Draft) -> None:
    if draft.twin == "not_permitted":
        draft.block("not_permitted", "Nothing lets me do that in this repository.")
