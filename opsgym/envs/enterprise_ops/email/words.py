"""Enumerations and fixed facts of Email.

Source: published tool signatures of EnterpriseOps-Gym, whose shape is that of the Gmail API.
"""

from __future__ import annotations

SYSTEM_LABELS = (
    "INBOX",
    "SENT",
    "DRAFT",
    "TRASH",
    "SPAM",
    "UNREAD",
    "STARRED",
    "IMPORTANT",
    "CHAT",
    "CATEGORY_PERSONAL",
    "CATEGORY_SOCIAL",
    "CATEGORY_PROMOTIONS",
    "CATEGORY_UPDATES",
    "CATEGORY_FORUMS",
)
"""Labels that every mailbox has; their keys are their names."""
FIXED_LABELS = ("SENT", "DRAFT", "CHAT")
"""System labels that nobody puts on a message or takes off by hand."""
LABEL_TYPES = ("system", "user")
MESSAGE_VISIBILITIES = ("show", "hide")
LABEL_VISIBILITIES = ("labelShow", "labelShowIfUnread", "labelHide")
DISPOSITIONS = ("leaveInInbox", "archive", "trash", "markRead")
VERIFICATIONS = ("verificationStatusUnspecified", "accepted", "pending")
EXPUNGES = ("archive", "trash", "deleteForever")
FOLDER_SIZES = ("0", "1000", "2000", "5000", "10000")
ACCESS_WINDOWS = ("disabled", "fromNowOn", "allMail")
SECURITY_MODES = ("none", "ssl", "starttls")
KEY_STATES = ("enabled", "disabled")
BEHAVIOURS = ("include", "exclude")
HISTORY_TYPES = ("messageAdded", "messageDeleted", "labelAdded", "labelRemoved")
FORMATS = ("minimal", "full", "raw", "metadata")
COMPARISONS = ("smaller", "larger", "unspecified")
ROLES = ("owner", "delegate", "admin")
LANGUAGES = ("en", "en-GB", "de", "es", "fr", "it", "ja", "nl", "pl", "pt-BR", "sv", "hi")

MAX_SIZE = 25 * 1024 * 1024
"""Greatest size of a message, in bytes."""
MAX_LABELS = 100
"""Labels that one call may put on or take off."""
MAX_BATCH = 1000
"""Messages that one batch may hold."""
MAX_FILTERS = 1000
"""Filters of a mailbox."""
MAX_DELEGATES = 25
"""Delegates of a mailbox."""
DAY_MS = 86_400_000
"""Milliseconds of a day."""
WATCH_DAYS = 7
"""How long a watch lasts."""
KEY_DAYS = 30
"""How long a key pair stays disabled before it may be obliterated."""
