// Builds the example bodies of the OpenAPI document from its own schemas: a value for each member by its name, or else
// by its type. New fields and endpoints get examples without further work.
import type { Components, JsonSchema } from './json-schema.ts'
import { EXAMPLE_REQUEST_ID } from './problem.ts'
import type { Response, ResponseContent } from './responses.ts'

/** The date of all times in examples. */
export const EXAMPLE_DAY = '2026-11-20'
const [FROM, TO] = [`${EXAMPLE_DAY}T09:00:00.000000Z`, `${EXAMPLE_DAY}T17:00:00.000000Z`]

/** Example values by the path of a member, which begins with its component or operation:
 * `LocatedBookable.location.name`. The first matching pattern is used. A text that begins with a slash is the
 * path of a URL of this gateway. */
const EXAMPLE_VALUES: Array<[path: RegExp, value: unknown]> = [
  [/^(Changed)?Booking\w*\.(guest|guest_email|series_id|booking_info|checked_in_at)$/, null],
  [/^Calendar\w*\.(bookable_id|location_id)$/, null],
  [/^LinkedCalendar\.fault_code$|^RoomCalendar\.fault$/, null],
  [/Calendar\.calendar$/, 'elbe@rooms.example.com'],
  [/^Job\.(result|file|error|finished_at)$/, null],
  [/^(Job\.progress|UserImportResult\.deleted)$/, 0],
  [/^Token\.(expires_at|buildings|addresses)$/, null],
  [/^Webhook\w*\.(disabled_reason|failing_since|next_at|error)$/, null],
  [/^LoggedRequest\.code$/, 'booking_conflict'],
  [/^LoggedRequest\.method$/, 'POST'],
  [/^LoggedRequest\.status$/, 409],
  [/\.(previous|until)$/, null],
  [/^UserImportResult\.(updated|skipped|errors)$|^Created(Event)?Series\.skipped$/, []],
  [/\.(requires_vehicle|has_more|dryRun|occupied)$/, false],
  [/(Absence|Loan)\.(from|to)$/, EXAMPLE_DAY],
  [/TeamDay\.weekday$/, null],
  [/TeamDay\.note$/, 'We plan the next quarter.'],
  [/^(Open|Slot|.*(_hours|\.slots)\[\])\.from$/, '08:00'],
  [/^(Open|Slot|.*(_hours|\.slots)\[\])\.to$/, '18:00'],
  [/^(Slot|.*\.slots\[\])\.name$/, 'All day'],
  [/\.(to|to_time|delivered_at)$/, TO],
  [/^EventBookable\.name$/, 'Elbe'],
  [/Bookable\w*\.name$|^Occupancy\.name$/, 'Desk 1'],
  [/Location\w*\.name$|\.location_name$/, 'Ground floor'],
  [/Building\w*\.name$|^RuleSource\.name$/, 'Harbour House'],
  [/Event\w*\.name$|\.title$/, 'Planning'],
  [/^updateEvent\.attendees$/, { add: [{ type: 'visitor', email: 'ada@example.com' }], remove: [12] }],
  [/^(Group|(create|update)Group)\.name$/, 'Engineering'],
  [/(^Token|\.actor)\.name$/, 'Lobby screen'],
  [/\.(name|guest_name)$/, 'Anna Berg'],
  [/\.position\.(x|y)$/, 0.25],
  [/\.position\.(width|height)$/, null],
  [/\.position\.rotation$/, 0],
  [/\.plan\.cell_width$/, 0.05],
  [/\.integration_email$/, 'elbe@rooms.example.com'],
  [/email$/, 'anna.berg@example.com'],
  [/Location\w*\.code$/, 'HH-0'],
  [/\.address$/, 'Am Kai 1, Hamburg'],
  [/\.license_plate(s\[\])?$/, 'HH AB 123'],
  [/\.groups\[\]$/, 'Engineering'],
  [/\.(description|booking_info)$/, 'At the window'],
  [/\.reason$/, 'Cleaning'],
  [/timezone$/, 'Europe/Berlin'],
  [/\.(tags|features)\[\]$/, 'quiet'],
  [/\.types\[\]$|^WebhookDelivery\.type$/, 'booking.created'],
  [/ebhook\w*\.url$/, 'https://hooks.example.net/berth'],
  [/\.secret$/, `whsec_${'A'.repeat(32)}`],
  [/\.livemap$/, '/api/v1/bookings/1/livemap'],
  [/\.livemap_url$/, `/api/v1/bookings/1/livemap.svg?signature=1790000000.1.${'0'.repeat(64)}`],
  [/\.url$/, `/api/v1/calendars/calendar_${'0'.repeat(36)}.ics`],
  [/\.message$/, `msg_${EXAMPLE_REQUEST_ID.replaceAll('-', '')}`],
  [/\.request_id$/, EXAMPLE_REQUEST_ID],
  [/\.filename$/, 'users.csv'],
  [/\.next$/, 'NDcxLjUuMTc5MDAwMDAwMA'],
  [/\.answer$/, 'OK'],
  [/\.every$/, 'week'],
  [/\.count$/, 2],
  [/^WebhookDelivery\.status$/, 200],
  [/(\.took_ms|\.minutes_min|\.minutes_min\.value|_after)$/, 30],
  [/\.minutes_max(\.value)?$/, 720],
  [/\.days_ahead_max(\.value)?$/, 60],
  [/\.capacity$/, 8],
  [/\.rate_limit_per_minute$/, 600],
]

/** Optional members that examples include. */
const SHOWN_OPTIONAL_MEMBERS = [
  'createCalendar.user_id',
  'createSeries.repeat.count',
  'createEventSeries.repeat.count',
]

type Operation = {
  operationId: string
  requestBody?: { content: ResponseContent }
  responses: Record<string, Response>
}
type DocumentWithExamples = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Components }
}
type ExampleSource = { components: Components; baseUrl: string }

/** Adds an example next to the schema of each JSON request and response. */
export function addExamplesToDocument({ paths, components }: DocumentWithExamples, baseUrl: string) {
  const source = { components: components.schemas, baseUrl }
  const add = (content: ResponseContent | undefined, path: string) => {
    const media = content?.['application/json']
    if (media) media.example = createExample(media.schema, path, source)
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  for (const { operationId, requestBody, responses } of operations) {
    add(requestBody?.content, operationId)
    for (const [status, { content }] of Object.entries(responses))
      if (status.startsWith('2')) add(content, operationId)
  }
}

/** Returns an example of the schema. `path` names the member, such as `LocatedBookable.location.name`. */
export function createExample(schema: JsonSchema, path: string, source: ExampleSource): unknown {
  const [, component] = /schemas\/(\w+)$/.exec(String(schema.$ref)) ?? []
  if (component !== undefined) return createExample(source.components[component] ?? {}, component, source)
  if (schema.properties) return createExampleObject(schema, path, source)
  const [, known] = EXAMPLE_VALUES.find(([member]) => member.test(path)) ?? []
  if (typeof known === 'string' && known.startsWith('/')) return source.baseUrl + known
  if (known !== undefined) return known
  if (Array.isArray(schema.oneOf)) return createExample(schema.oneOf[0], path, source)
  if (schema.items) return [createExample(schema.items as JsonSchema, `${path}[]`, source)]
  return createExampleValue(schema)
}

// Returns an example object with its required members. If no member is required, includes all members.
function createExampleObject(
  schema: JsonSchema,
  path: string,
  source: ExampleSource,
): Record<string, unknown> {
  const { required = [] } = schema as { required?: string[] }
  const all = Object.entries(schema.properties as Record<string, JsonSchema>)
  const shown = all.filter(
    ([name]) => required.includes(name) || SHOWN_OPTIONAL_MEMBERS.includes(`${path}.${name}`),
  )
  return Object.fromEntries(
    (shown.length > 0 ? shown : all).map(([name, member]) => [
      name,
      createExample(member, `${path}.${name}`, source),
    ]),
  )
}

function createExampleValue({ type, format, minimum, examples, enum: values }: JsonSchema): unknown {
  const [known] = [examples, values].flatMap((each) => (Array.isArray(each) ? each : []))
  if (known !== undefined) return known
  if (format === 'date-time') return FROM
  if (format === 'date') return EXAMPLE_DAY
  if (format === 'uuid') return EXAMPLE_REQUEST_ID
  const [first] = [type].flat()
  if (first === 'integer') return Math.max(1, Number(minimum ?? 1))
  if (first === 'boolean') return true
  return first === 'object' ? {} : 'text'
}
