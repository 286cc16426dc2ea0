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
  Changes: 'All changes, in a single order.',
  Webhooks: 'Endpoints that receive changes, and their deliveries.',
  Calendars: 'Bookings and events for calendar programs, at secret addresses.',
  Rules: 'The rules that bookings must follow, and where they are set.',
  Availability: 'Bookables that are free, and when.',
  Jobs: 'Imports and exports that were accepted, and their files.',
  Tokens: 'The token of the caller.',
}

export type Tag = { name: string; description?: string }

export function tagsOf(endpoints: ReadonlyArray<{ tag: string }>): Tag[] {
  return [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({
    name,
    ...(DESCRIPTIONS[name] ? { description: DESCRIPTIONS[name] } : {}),
  }))
}
