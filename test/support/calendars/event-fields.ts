// The fields of an event as its provider describes them, so that no test server invents one. Written after Graph's v1.0
// metadata (microsoftgraph/msgraph-metadata, clean_v10_metadata/cleanMetadata.xml, types event and outlookItem) and after
// Google's discovery document of Calendar v3 (schemas Event, EventAttendee and EventDateTime). Read in November 2026.
import { expect } from 'chai'

/** A type, the allowed words, or the fields inside. */
type Shape =
  | 'string'
  | 'boolean'
  | 'number'
  | 'strings'
  | 'any'
  | readonly string[]
  | { [field: string]: Shape }
  | [Shapes]
type Shapes = { [field: string]: Shape }

const GRAPH_RESPONSE = [
  'none',
  'organizer',
  'tentativelyAccepted',
  'accepted',
  'declined',
  'notResponded',
] as const
const GRAPH_ADDRESS: Shapes = { address: 'string', name: 'string' }
const GRAPH_STATUS: Shapes = { response: GRAPH_RESPONSE, time: 'string' }
const GRAPH_TIME: Shapes = { dateTime: 'string', timeZone: 'string' }

export const GRAPH_EVENT: Shapes = {
  '@odata.type': 'string',
  '@odata.etag': 'string',
  '@odata.context': 'string',
  '@removed': { reason: ['deleted', 'changed'] },
  id: 'string',
  categories: 'strings',
  changeKey: 'string',
  createdDateTime: 'string',
  lastModifiedDateTime: 'string',
  allowNewTimeProposals: 'boolean',
  attendees: [
    {
      emailAddress: GRAPH_ADDRESS,
      type: ['required', 'optional', 'resource'],
      status: GRAPH_STATUS,
    },
  ],
  body: { contentType: ['text', 'html'], content: 'string' },
  bodyPreview: 'string',
  end: GRAPH_TIME,
  hasAttachments: 'boolean',
  hideAttendees: 'boolean',
  iCalUId: 'string',
  importance: ['low', 'normal', 'high'],
  isAllDay: 'boolean',
  isCancelled: 'boolean',
  isDraft: 'boolean',
  isOnlineMeeting: 'boolean',
  isOrganizer: 'boolean',
  isReminderOn: 'boolean',
  location: 'any',
  locations: 'any',
  onlineMeeting: 'any',
  onlineMeetingProvider: 'string',
  onlineMeetingUrl: 'string',
  organizer: { emailAddress: GRAPH_ADDRESS },
  originalEndTimeZone: 'string',
  originalStart: 'string',
  originalStartTimeZone: 'string',
  recurrence: 'any',
  reminderMinutesBeforeStart: 'number',
  responseRequested: 'boolean',
  responseStatus: GRAPH_STATUS,
  sensitivity: ['normal', 'personal', 'private', 'confidential'],
  seriesMasterId: 'string',
  showAs: ['unknown', 'free', 'tentative', 'busy', 'oof', 'workingElsewhere'],
  start: GRAPH_TIME,
  subject: 'string',
  transactionId: 'string',
  type: ['singleInstance', 'occurrence', 'exception', 'seriesMaster'],
  webLink: 'string',
  singleValueExtendedProperties: 'any',
}

const GOOGLE_TIME: Shapes = { date: 'string', dateTime: 'string', timeZone: 'string' }
const GOOGLE_PERSON: Shapes = { id: 'string', email: 'string', displayName: 'string', self: 'boolean' }

export const GOOGLE_EVENT: Shapes = {
  attendees: [
    {
      ...GOOGLE_PERSON,
      additionalGuests: 'number',
      comment: 'string',
      optional: 'boolean',
      organizer: 'boolean',
      resource: 'boolean',
      responseStatus: ['needsAction', 'declined', 'tentative', 'accepted'],
    },
  ],
  attendeesOmitted: 'boolean',
  colorId: 'string',
  created: 'string',
  creator: GOOGLE_PERSON,
  description: 'string',
  end: GOOGLE_TIME,
  etag: 'string',
  eventType: ['default', 'outOfOffice', 'focusTime', 'workingLocation', 'birthday', 'fromGmail'],
  extendedProperties: { private: 'any', shared: 'any' },
  guestsCanInviteOthers: 'boolean',
  guestsCanModify: 'boolean',
  guestsCanSeeOtherGuests: 'boolean',
  hangoutLink: 'string',
  htmlLink: 'string',
  iCalUID: 'string',
  id: 'string',
  kind: ['calendar#event'],
  location: 'string',
  locked: 'boolean',
  organizer: GOOGLE_PERSON,
  originalStartTime: GOOGLE_TIME,
  privateCopy: 'boolean',
  recurrence: 'strings',
  recurringEventId: 'string',
  reminders: 'any',
  sequence: 'number',
  source: { title: 'string', url: 'string' },
  start: GOOGLE_TIME,
  status: ['confirmed', 'tentative', 'cancelled'],
  summary: 'string',
  transparency: ['opaque', 'transparent'],
  updated: 'string',
  visibility: ['default', 'public', 'private', 'confidential'],
}

/** Fails if a value has a field that its provider does not describe, or one of another type. */
export function expectFields(value: object, fields: Shapes, path = 'event'): void {
  for (const [name, each] of Object.entries(value)) {
    const shape = fields[name] ?? expect.fail(`The provider describes no ${path}.${name}`)
    if (each !== null && each !== undefined) expectShape(each, shape, `${path}.${name}`)
  }
}

function expectShape(value: unknown, shape: Shape, path: string): void {
  if (shape === 'any') return
  if (shape === 'strings') {
    expect(value, path).to.satisfy(
      (list: unknown) => Array.isArray(list) && list.every((each) => typeof each === 'string'),
    )
  } else if (typeof shape === 'string') expect(typeof value, path).to.equal(shape)
  else if (!Array.isArray(shape)) expectFields(value as object, shape as Shapes, path)
  else if (typeof shape[0] === 'string') expect(shape, path).to.include(value)
  else for (const each of value as object[]) expectFields(each, shape[0] as Shapes, path)
}
