// Undoes what a write did to events: cancels events that it created, reinstates events that it cancelled, and restores
// the content, time, rooms and people of events that it changed. The undo applies to all of them or to none.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { performSingleWrite, type Write } from '../../runtime/write.ts'
import { eventDeletions } from '../events/events.ts'
import { checkMeeting, lockMeetings, refuseTooLargeSeries, type WantedMeeting } from '../events/meetings.ts'
import { type AttendeeRow, AUDITED_EVENT, lockEvents, type PresentEvent } from '../events/present-events.ts'
import { type EventContent, saveEventsTogether } from '../events/save-events.ts'
import { createChangedSinceRefusal, type UndoEntry } from './entries.ts'

/** An event as the audit log stores it. */
type AuditedEvent = EventContent & {
  organizer_user_id: number
  occurs_at: string | null
  attendees: AttendeeRow[] | null
  bookables: number[] | null
}

const getFormerEvent = ({ before }: UndoEntry) => before as unknown as AuditedEvent

// SQL for the parts of an event that must not have changed since the write. Answers and check-ins may have changed.
const contentSql = (row: string) => `jsonb_build_array(
  ${row} -> 'name', ${row} -> 'description', ${row} -> 'status', ${row} -> 'organizer_user_id', ${row} -> 'classification',
  ${row} -> 'from_timezone', ${row} -> 'to_timezone', ${row} -> 'bookables',
  (SELECT jsonb_agg(jsonb_build_array(each -> 'user_id', lower(each ->> 'email')) ORDER BY (each ->> 'id')::bigint)
   FROM jsonb_path_query(${row}, '$.attendees[*]') AS each))`
const spanSql = (row: string) => `(${row} ->> 'during')::tstzrange`

/** Refuses the undo if an event has changed since the write. */
export async function refuseChangedEvents(write: Write, entries: UndoEntry[]): Promise<void> {
  if (entries.length === 0) return
  const [first] = await write.all<{ id: number }>(
    `SELECT entries.id FROM audit_log AS entries JOIN events ON events.id = entries.resource_id
     CROSS JOIN LATERAL (SELECT ${AUDITED_EVENT} AS row) AS present
     WHERE entries.id = ANY(?::bigint[]) AND (${contentSql('present.row')}, ${spanSql('present.row')})
       IS DISTINCT FROM (${contentSql('entries.after')}, ${spanSql('entries.after')})
     ORDER BY entries.id LIMIT 1`,
    [entries.map(({ id }) => id)],
  )
  const changed = entries.find(({ id }) => id === first?.id)
  if (changed) throw await createChangedSinceRefusal(write, changed)
}

export async function undoEvents(write: Write, all: UndoEntry[]): Promise<void> {
  // Omits the userId from the write, because the approver who undoes it does not organize the meeting.
  for (const { thing } of all.filter(({ before }) => before === null))
    await performSingleWrite(eventDeletions, { ...write, userId: undefined }, { id: thing })
  const entries = all.filter(({ before }) => before !== null)
  if (entries.length === 0) return
  if (entries.some(({ to }) => to !== null && to <= write.now))
    throw new Refusal(
      'event_ended',
      message`The original time of the meeting is already over. Nothing was undone.`,
    )
  const connection = await write.connection()
  const writes = entries.map(({ thing }) => ({ input: { id: thing }, context: write }))
  const found = await lockEvents(connection, writes)
  const people = new Set(await findPeople(write, entries))
  const wanted = found.map((present, index) => {
    if (present instanceof Refusal) throw present
    const entry = entries[index]
    if (!entry) throw new Error('A locked event has no entry')
    return toFormerMeeting(write, entry, present, people)
  })
  const locked = await lockMeetings(connection, wanted, refuseTooLargeSeries)
  const meetings = locked.map((each, index) => {
    const entry = entries[index]
    return {
      ...checkMeeting({ context: write }, each),
      answers: (entry && getFormerEvent(entry).attendees) ?? [],
    }
  })
  await saveEventsTogether(connection, meetings, (refusal) => refusal)
}

/** Returns the ids of the former attendees who still exist. People who were erased since then attend no meetings. */
const findPeople = (write: Write, entries: UndoEntry[]) =>
  write.ids('SELECT id FROM users WHERE id = ANY(?::bigint[])', [
    entries.flatMap((entry) =>
      (getFormerEvent(entry).attendees ?? []).flatMap(({ user_id }) => user_id ?? []),
    ),
  ])

function toFormerMeeting(
  write: Write,
  entry: UndoEntry,
  present: PresentEvent,
  people: ReadonlySet<number>,
): WantedMeeting {
  const { name, description, from_timezone, to_timezone, classification, ...was } = getFormerEvent(entry)
  const { from, to } = entry
  const attendees = (was.attendees ?? [])
    .filter(({ user_id }) => user_id === null || people.has(user_id))
    .map(({ user_id, email, name: given }) => ({ userId: user_id, email, name: given }))
  return {
    context: write,
    present,
    content: {
      name,
      description,
      from_timezone,
      to_timezone,
      classification,
      ...(was.occurs_at && { occurrence: { occurs_at: was.occurs_at } }),
      reinstates: true,
      // The meeting had these rooms at this time before, so it needs no further approval.
      is_approved: true,
    },
    span: { from, to: to ?? present.to },
    organizerId: was.organizer_user_id,
    invited: { input: [], unchanged: { attendees, bookableIds: was.bookables ?? [] }, errors: {} },
  }
}
