// Records changes of claims as changes of the booking or the event that the claim belongs to.
import type { FormerState } from '../../../shared/changes/former-state.ts'
import type { AuditedRow, Recorder } from '../../runtime/write.ts'

type RecordedClaim = { id: number; event_id: number | null; row: unknown }

const ACTIONS_BY_VERB = {
  move: { bookings: 'bookings.move', events: 'events.move-room' },
  clear: { bookings: 'bookings.clear', events: 'events.clear-room' },
  release: { bookings: 'bookings.release', events: 'events.release' },
  /** The person is away. Their meetings stay. */
  'release-away': { bookings: 'bookings.release-away', events: 'events.release' },
  /** The person has chosen anew where they work on this day. Their meetings stay. */
  'release-day': { bookings: 'bookings.release-day', events: 'events.release' },
} as const

const getResourceId = ({ id, event_id }: RecordedClaim) => event_id ?? id

const groupByResource = (claims: RecordedClaim[]) => ({
  bookings: claims.filter(({ event_id }) => event_id === null),
  events: claims.filter(({ event_id }) => event_id !== null),
})

export async function readFormerStates(write: Recorder, claims: RecordedClaim[]) {
  const { bookings, events } = groupByResource(claims)
  return {
    bookings: await write.readFormer('bookings', bookings.map(getResourceId)),
    events: await write.readFormer('events', [...new Set(events.map(getResourceId))]),
  }
}

/** Records the changes in the audit log. Claims without a row `after` the change were deleted. */
export async function recordClaimAudit(
  write: Recorder,
  verb: keyof typeof ACTIONS_BY_VERB,
  former: { bookings: FormerState; events: FormerState },
  { before, after }: { before: RecordedClaim[]; after: AuditedRow<unknown>[] },
): Promise<void> {
  const claims = groupByResource(before)
  const rows = new Map(after.map(({ id, row }) => [id, row]))
  for (const resource of ['bookings', 'events'] as const) {
    const changes = claims[resource].map((claim) => {
      return { id: getResourceId(claim), before: claim.row, after: rows.get(claim.id) }
    })
    await write.auditEach(ACTIONS_BY_VERB[verb][resource], former[resource], changes)
  }
}
