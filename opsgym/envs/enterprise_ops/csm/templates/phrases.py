"""How people say what the enumerations mean."""

from __future__ import annotations

CHANNEL = {
    "web": ("through the web portal", "in the web portal"),
    "email": ("by e-mail", "in an e-mail"),
    "phone": ("by phone", "on the phone", "in a call"),
    "chat": ("in the chat", "by chat"),
    "social": ("on social media", "over social media"),
    "alert": ("by an automatic alert", "as an alert of the monitoring"),
    "community": ("in the community forum", "by a post in the community"),
}
PRIORITY = {
    "critical": ("critical priority", "the highest priority"),
    "high": ("high priority", "the second highest priority"),
    "moderate": ("moderate priority", "medium priority"),
    "low": ("low priority", "the lowest priority"),
}
LEVEL = {
    "standard": ("standard support", "the lowest support level"),
    "premium": ("premium support", "the middle support level"),
    "enterprise": ("enterprise support", "the highest support level"),
}
HOURS = {
    "h8x5": ("eight hours on five days a week", "8x5"),
    "h12x6": ("twelve hours on six days a week", "12x6"),
    "h24x7": ("around the clock", "24x7"),
}
REASON = {
    "urgency": ("it has become urgent", "it cannot wait"),
    "vip": ("the customer is a VIP", "it comes from a VIP"),
    "impact": ("its impact on their business is high", "their business suffers badly"),
    "breach_risk": ("its service level is about to be missed", "its SLA is at risk"),
    "customer_request": ("the customer asked for it", "the customer insists on it"),
}
NOTICE = {
    "update": ("an update", "a message with the latest state"),
    "next_steps": ("the next steps", "what happens next"),
    "reminder": ("a reminder",),
}
