// Reads as a token: from a server that has everything the token has been told, and from its buildings only.

import type { Token } from '../auth/tokens.ts'
import { ownerOf } from '../overload/admission.ts'
import { type LimitedReads, limitReads } from './building-limits.ts'
import type { Reads } from './reads.ts'

/** `work` may run twice. */
export function readAs<Result>(
  reads: Reads,
  { id, abilities, buildingIds }: Token,
  work: (connections: LimitedReads) => Promise<Result>,
): Promise<Result> {
  const writes = abilities.some((ability) => ability !== 'read')
  const caller = writes ? { type: 'token' as const, id } : undefined
  return reads.read(ownerOf({ type: 'token', id }), caller, (connections) =>
    work(buildingIds === null ? connections : limitReads(connections, buildingIds)),
  )
}
