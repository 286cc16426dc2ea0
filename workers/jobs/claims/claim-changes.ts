// Records changes of claims: of a booking, or of the event whose room the claim is.
import type { Former } from '../../../shared/changes/former.ts'
import type { AuditedRow, Recorder } from '../../runtime/write.ts'

type Claim = { id: number; event_id: number | null; row: unknown }

const ACTIONS = {
  move: { bookings: 'bookings.move', events: 'events.move-room' },
  clear: { bookings: 'bookings.clear', events: 'events.clear-room' },
  release: { bookings: 'bookings.release', events: 'events.release' },
} as const

const idOf = ({ id, event_id }: Claim) => event_id ?? id

const byResource = (claims: Claim[]) => ({
  bookings: claims.filter(({ event_id }) => event_id === null),
  events: claims.filter(({ event_id }) => event_id !== null),
})

export async function readFormerOfClaims(write: Recorder, claims: Claim[]) {
  const { bookings, events } = byResource(claims)
  return {
    bookings: await write.readFormer('bookings', bookings.map(idOf)),
    events: await write.readFormer('events', [...new Set(events.map(idOf))]),
  }
}

/** Claims without a row `after` the change were deleted. */
export async function auditClaims(
  write: Recorder,
  verb: keyof typeof ACTIONS,
  former: { bookings: Former; events: Former },
  { before, after }: { before: Claim[]; after: AuditedRow<unknown>[] },
): Promise<void> {
  const claims = byResource(before)
  const rows = new Map(after.map(({ id, row }) => [id, row]))
  for (const resource of ['bookings', 'events'] as const) {
    const changes = claims[resource].map((claim) => {
      return { id: idOf(claim), before: claim.row, after: rows.get(claim.id) }
    })
    await write.auditEach(ACTIONS[verb][resource], former[resource], changes)
  }
}
