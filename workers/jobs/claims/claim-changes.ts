// Records changes of claims: of a booking, or of the event whose room the claim is.
import { type Author, auditEach, type ChangedRow } from '../../../shared/audit/audit.ts'
import { type Former, readFormer } from '../../../shared/changes/former.ts'
import type { Transaction } from '../../runtime/context.ts'

type Claim = { id: number; event_id: number | null }
type FormerOfClaims = { bookings: Former; events: Former }
type Actions =
  | { bookings: 'bookings.move'; events: 'events.move-room' }
  | { bookings: 'bookings.clear'; events: 'events.clear-room' }
  | { bookings: 'bookings.release'; events: 'events.release' }

const idOf = ({ id, event_id }: Claim) => event_id ?? id

function byResource<Each extends Claim>(claims: Each[]) {
  return {
    bookings: claims.filter(({ event_id }) => event_id === null),
    events: claims.filter(({ event_id }) => event_id !== null),
  }
}

export async function readFormerOfClaims(trx: Transaction, claims: Claim[]): Promise<FormerOfClaims> {
  const { bookings, events } = byResource(claims)
  return {
    bookings: await readFormer(trx, 'bookings', bookings.map(idOf)),
    events: await readFormer(trx, 'events', [...new Set(events.map(idOf))]),
  }
}

export async function auditClaims<Each extends Claim>(
  trx: Transaction,
  author: Author,
  actions: Actions,
  former: FormerOfClaims,
  claims: Each[],
  rowsOf: (claim: Each) => Omit<ChangedRow, 'id'>,
): Promise<void> {
  const own = byResource(claims)
  for (const resource of ['bookings', 'events'] as const) {
    const changes = own[resource].map((claim) => ({ id: idOf(claim), ...rowsOf(claim) }))
    await auditEach(trx, author, actions[resource], former[resource], changes)
  }
}
