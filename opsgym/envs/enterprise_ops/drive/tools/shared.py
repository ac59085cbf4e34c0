"""Terms of Drive's tools, and how they show files."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.terms import Terms

_NO_EFFECT = "Accepted; has no effect here."
_SIZE = "Records on a page."


class Restriction(TypedDict, total=False):
    """A restriction of a file's content."""

    readOnly: bool
    reason: str
    ownerRestricted: bool
    systemRestricted: bool


class Hints(TypedDict, total=False):
    """What else to index of a file."""

    indexableText: str
    thumbnail: str


class Shortcut(TypedDict, total=False):
    """Where a shortcut leads."""

    targetId: str


class DownloadRestrictions(TypedDict, total=False):
    """Whether a file may be downloaded."""

    restricted: bool
    reason: str


class Modification(TypedDict, total=False):
    """A change of one label of a file."""

    labelId: str
    fieldModifications: list[dict[str, Any]]
    removeLabel: bool
    kind: str


class BackgroundImage(TypedDict, total=False):
    """The picture of a shared drive."""

    id: str
    xCoordinate: float
    yCoordinate: float
    width: float


class SnakeImage(TypedDict, total=False):
    """The same, as the deprecated tool spells it."""

    id: str
    x_coordinate: float
    y_coordinate: float
    width: float


class Restrictions(TypedDict, total=False):
    """Restrictions of a shared drive."""

    adminManagedRestrictions: bool
    copyRequiresWriterPermission: bool
    domainUsersOnly: bool
    driveMembersOnly: bool


def within(least: int, most: int) -> Any:
    """An integer between two bounds."""
    return Annotated[int, Field(ge=least, le=most)]


ROLE = Literal["owner", "organizer", "fileOrganizer", "writer", "commenter", "reader"]
GRANTEE = Literal["user", "group", "domain", "anyone"]
PUBLISHED = Literal["published"]
CONTENT = Annotated[str, Field(max_length=8192)]

TERMS = Terms(
    {
        "acknowledgeAbuse": (bool, _NO_EFFECT),
        "action": (Literal["ACTION_UNSPECIFIED", "ACCEPT", "DENY"], "What to do with the request."),
        "address": (str, "Where notifications are sent: an https:// address."),
        "allowFileDiscovery": (bool, "Whether searching finds the file; for types domain and anyone."),
        "allowItemDeletion": (bool, "Remove what lies in it too; only for admins."),
        "alt": (str, _NO_EFFECT),
        "anchor": (str, "Where in the file the comment belongs."),
        "appFilterExtensions": (str, "Only apps that open one of these extensions; commas between."),
        "appFilterMimeTypes": (str, "Only apps that open one of these MIME types; commas between."),
        "appId": (str, "Id of the app."),
        "appProperties": (dict[str, Any], "Properties of the calling app, by key."),
        "backgroundImageFile": (BackgroundImage, "Picture of the shared drive."),
        "backgroundImageLink": (str, "Address of the picture of the shared drive."),
        "background_image_file": (SnakeImage, "Picture of the shared drive."),
        "colorRgb": (str, "Colour, as #RRGGBB."),
        "color_rgb": (str, "Colour, as #RRGGBB."),
        "commentId": (str, "Id of the comment."),
        "content": (str, "Its text."),
        "contentHints": (Hints, _NO_EFFECT),
        "contentRestrictions": (list[Restriction], "Restrictions of its content."),
        "copyRequiresWriterPermission": (bool, "Whether readers may not copy it."),
        "corpora": (str, "user, drive (with driveId), domain or allDrives; by default all that you see."),
        "count": (int, "How many; at most 1000."),
        "createdTime": (str, "When it was created, if not now."),
        "description": (str, "What it is."),
        "domain": (str, "The domain, for type domain."),
        "downloadRestrictedForReaders": (bool, "Whether readers may not download."),
        "downloadRestrictedForWriters": (bool, "Whether writers may not download."),
        "downloadRestrictions": (DownloadRestrictions, "Whether it may be downloaded."),
        "driveId": (str, "Id of the shared drive."),
        "emailAddress": (Annotated[str, Field(json_schema_extra={"format": "email"})], "Who, for types user and group."),
        "emailMessage": (Annotated[str, Field(max_length=4096)], "Text of the notification."),
        "enforceExpansiveAccess": (bool, _NO_EFFECT),
        "expiration": (str, "When the channel ends: milliseconds since 1970, or a time in ISO 8601; by default in a day."),
        "expirationTime": (str, "When the link ends; for type anyone."),
        "fields": (str, "Parts to give, such as user,storageQuota; commas between; all by default."),
        "fileId": (str, "Id of the file or folder."),
        "folderColorRgb": (str, "Colour of the folder, as #RRGGBB."),
        "hidden": (bool, "Whether it is hidden from the default view."),
        "id": (str, "Id of the channel; no other channel has it."),
        "ignoreDefaultVisibility": (bool, _NO_EFFECT),
        "includeCorpusRemovals": (bool, _NO_EFFECT),
        "includeDeleted": (bool, "Give deleted ones too, without their text."),
        "includeItemsFromAllDrives": (bool, "Give what lies in shared drives too."),
        "includeLabels": (str, "Labels to take over; commas between."),
        "includePermissionsForView": (str, _NO_EFFECT),
        "includeRemoved": (bool, "Give changes by which files were removed too."),
        "inheritedPermissionsDisabled": (bool, _NO_EFFECT),
        "keepForever": (bool, "Whether it is never removed."),
        "keepRevisionForever": (bool, "Whether its first revision is kept forever."),
        "labelModifications": (list[Modification], "Changes of labels; a value is set by the field of the label's own type."),
        "languageCode": (str, _NO_EFFECT),
        "maxResults": (int, _SIZE),
        "mimeType": (str, "MIME type."),
        "modifiedTime": (str, "When it was changed last, if not now."),
        "moveToNewOwnersRoot": (bool, "Whether it moves to the top of the new owner's files."),
        "name": (str, "Its name."),
        "ocrLanguage": (str, _NO_EFFECT),
        "orderBy": (str, "Keys such as name, folder, createdTime, modifiedTime desc, quotaBytesUsed; commas between."),
        "originalFilename": (str, "Name at upload."),
        "pageSize": (int, _SIZE),
        "pageToken": (str, "The nextPageToken of the page before."),
        "params": (dict[str, Any], "Parameters of the channel."),
        "parents": (list[str], "The folder it lies in: one id."),
        "payload": (bool, "Whether notifications have a payload."),
        "pendingOwner": (bool, _NO_EFFECT),
        "permissionId": (str, "Id of the permission."),
        "permissionIds": (list[str], _NO_EFFECT),
        "permissions": (list[dict[str, Any]], "Permissions to give: objects with role, type, and emailAddress or domain."),
        "properties": (dict[str, Any], "Properties by key; null removes one."),
        "proposalId": (str, "Id of the request for access."),
        "publishAuto": (bool, "Whether later revisions are published too."),
        "published": (bool, "Whether it is published."),
        "q": (str, "Query such as: name contains 'plan' and mimeType = 'application/pdf' and 'FILE_001' in parents."),
        "removeExpiration": (bool, "Whether the link has no end."),
        "removeParents": (str, "Folders it leaves; commas between."),
        "addParents": (str, "The folder it moves to."),
        "replyId": (str, "Id of the reply."),
        "requestId": (str, "An id of the request; the same one creates nothing twice."),
        "resourceId": (str, "Id of what is watched."),
        "resourceUri": (str, "Address of what is watched."),
        "restrictToMyDrive": (bool, "Leave out what lies in shared drives."),
        "restrictions": (Restrictions, "Restrictions of the shared drive."),
        "revisionId": (str, "Id of the revision."),
        "role": (str, "The role."),
        "sendNotification": (bool, "Whether the requester is told."),
        "sendNotificationEmail": (bool, "Whether the grantee is told."),
        "sharingFoldersRequiresOrganizerPermission": (bool, "Whether only organizers share folders."),
        "shortcutDetails": (Shortcut, "Where the shortcut leads."),
        "space": (str, "drive or appDataFolder."),
        "spaces": (str, "Only what lies in these spaces; commas between."),
        "starred": (bool, "Whether it is starred."),
        "startModifiedTime": (str, "Only what was changed at or after this time."),
        "supportsAllDrives": (bool, _NO_EFFECT),
        "supportsTeamDrives": (bool, _NO_EFFECT),
        "teamDriveId": (str, "Id of the shared drive."),
        "team_drive_id": (str, "Id of the shared drive."),
        "themeId": (str, "Id of the theme."),
        "theme_id": (str, "Id of the theme."),
        "token": (str, "Text that each notification bears."),
        "transferOwnership": (bool, "Must be true to give the role owner; the present owner becomes a writer."),
        "trashed": (bool, "Whether it is in the trash."),
        "type": (str, "Its kind."),
        "uploadType": (Literal["media", "multipart", "resumable"], _NO_EFFECT),
        "useContentAsIndexableText": (bool, _NO_EFFECT),
        "useDomainAdminAccess": (bool, _NO_EFFECT),
        "use_domain_admin_access": (bool, _NO_EFFECT),
        "view": (str, "Only published exists."),
        "writersCanShare": (bool, "Whether writers may share it."),
        "kind": (str, "Accepted; has no effect here."),
    }
)
"""The arguments of Drive's tools."""


def full(row: dict[str, Any]) -> dict[str, Any]:
    """A row without what is empty."""
    return {name: value for name, value in row.items() if value is not None}


def shown_file(records: Records, row: dict[str, Any]) -> dict[str, Any]:
    """A file as agents see it: with its description, and with what concerns the actor."""
    properties = dict(row["properties"] or {})
    shared = records.world.execute(
        "SELECT 1 FROM permissions WHERE file_id = ? AND role <> 'owner' AND NOT deleted", (row["id"],)
    ).fetchone()
    mine = {
        "owned_by_me": row["created_by"] == records.actor.id,
        "modified_by_me": row["modified_by"] == records.actor.id,
        "shared": shared is not None,
        "description": properties.pop("description", None),
        "properties": properties or None,
    }
    return full(row | mine)
