"""Phrases of Teams worlds: projects, channels, apps, tags, events and what people write."""

from __future__ import annotations

PROJECTS = (
    "Atlas",
    "Borealis",
    "Compass",
    "Dynamo",
    "Everest",
    "Foundry",
    "Gateway",
    "Horizon",
    "Iceberg",
    "Jigsaw",
    "Keystone",
    "Lighthouse",
    "Mosaic",
    "Nimbus",
    "Orchard",
    "Polaris",
    "Quartet",
    "Riverbank",
    "Sandbox",
    "Tandem",
)
CHANNELS = (
    ("Planning", "Plans and milestones"),
    ("Budget", "Costs and forecasts"),
    ("Releases", "What ships when"),
    ("Questions", "Ask anything"),
    ("Vendors", "Offers and contracts"),
    ("Hiring", "Open positions and candidates"),
    ("Training", "Courses and material"),
    ("Incidents", "What is down and who is on it"),
    ("Reports", "Monthly figures"),
    ("Customer Feedback", "What customers tell us"),
    ("Office Moves", "Desks, keys and boxes"),
    ("Retrospectives", "What went well and what did not"),
)
PRIVATE = ("Leads", "Compensation", "Audit Prep", "Negotiations")
SHARED = ("Joint Roadmap", "Partner Desk", "Handover")
APPS = (
    "Task Board",
    "Task Board Classic",
    "Notebook",
    "Notebook Sync",
    "Wiki",
    "Poll Maker",
    "Whiteboard",
    "Dashboards",
    "Dashboards Lite",
    "Shift Planner",
    "Expense Forms",
    "Survey Studio",
    "Code Review",
    "Approvals",
)
TEMPLATES = (
    ("standard", "Standard", "For any purpose"),
    ("manageAProject", "Manage a Project", "Plans, tasks and announcements"),
    ("manageAnEvent", "Manage an Event", "From idea to evaluation"),
    ("onboardEmployees", "Onboard Employees", "The first weeks of new people"),
    ("adoptOffice365", "Adopt New Tools", "Champions and training"),
)
TAGS = ("First Responders", "Reviewers", "Night Shift", "Champions", "Approvers", "Writers", "Drivers", "Translators")
WEBINARS = (
    "Security Basics",
    "Negotiating with Suppliers",
    "Reading a Balance Sheet",
    "Better Meetings",
    "Writing for Customers",
    "Introduction to Forecasting",
    "Safe Travel",
    "Working Across Time Zones",
    "Data Protection Refresher",
    "Presenting with Confidence",
)
TOWNHALLS = ("Quarterly Results", "Strategy Update", "Ask the Executives", "Year in Review", "New Office", "Benefits Changes")
SUBJECTS = (
    "Next steps",
    "Agenda for Thursday",
    "Numbers for last month",
    "Draft for review",
    "Venue confirmed",
    "Change of plan",
    "Supplier answer",
    "Open points",
    "Travel dates",
    "Status",
)
LINES = (
    "The draft is in the folder, please comment until Friday.",
    "Who can take over the notes this week?",
    "The supplier has confirmed the new date.",
    "I have moved the milestone by one week.",
    "Please check the figures of the second sheet.",
    "The room is booked from nine to eleven.",
    "We still need an answer from Legal.",
    "Thanks everybody, that went well.",
    "The link does not work for me.",
    "I will be out on Monday and Tuesday.",
    "The test has passed on the second try.",
    "Can somebody invite the new colleagues?",
    "The customer asks for an earlier delivery.",
    "Minutes are attached.",
    "Let us keep this for the next meeting.",
    "The budget was approved this morning.",
)
FILES = ("Plan.xlsx", "Minutes.docx", "Budget.xlsx", "Roadmap.pptx", "Checklist.docx", "Contract.pdf")
REACTIONS = ("like", "heart", "laugh", "surprised")
STATUSES = ("Out of office", "In a workshop", "Working from home", "On a customer visit")
GROUPS = ("Fire Wardens", "Travel Approvers", "Newsletter Editors", "Works Council", "First Aiders", "Building Access")
CHAT_TOPICS = ("Lunch", "Offsite", "Release night", "Onboarding buddies", "Audit questions", "Board pack")
SKILLS = ("negotiation", "forecasting", "writing", "training", "design", "statistics", "contracts", "first aid")
OPERATIONS = ("send_channel_message", "send_chat_message", "add_team_member", "create_channel", "update_channel")
