// The descriptions of groups of endpoints in the OpenAPI document. Redocly's rules, which the suite enforces,
// require them.
const DESCRIPTIONS: Record<string, string> = {
  Users: 'People who book, their vehicles and bookings; importing and exporting them.',
  Groups: 'Groups of users.',
  Buildings: 'Buildings, their locations and what is booked in them.',
  Locations: 'Locations of a building, their bookables and who occupies them now.',
  Bookables: 'Desks, parking spots, meeting rooms and home offices.',
  Bookings: 'Who has booked which bookable, from when to when.',
  Events: 'Meetings with their attendees and rooms.',
  Series: 'Bookings that repeat.',
  Changes: 'What has changed, in one order.',
  Webhooks: 'Receivers that are told of changes, and what was sent to them.',
  Calendars: 'Bookings and events for calendar programs, at secret addresses.',
  Rules: 'What a booking is held to, and whence.',
  Availability: 'What is free.',
  Jobs: 'Imports and exports that were accepted, and their files.',
  Tokens: 'The token that asks.',
}

export type Tag = { name: string; description?: string }

export function tagsOf(endpoints: ReadonlyArray<{ tag: string }>): Tag[] {
  return [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({
    name,
    ...(DESCRIPTIONS[name] ? { description: DESCRIPTIONS[name] } : {}),
  }))
}
