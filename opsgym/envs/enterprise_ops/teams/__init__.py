"""Teams: groups, teams, channels, chats, events and calls, in the shape of Microsoft Graph."""
