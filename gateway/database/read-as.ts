// Reads of a token: from a server that has all that it was told before, and of its buildings only.

import { ownerOf } from '../admission/admission.ts'
import type { Token } from '../auth/tokens.ts'
import { type LimitedReads, limitReads } from './building-limits.ts'
import type { Reads } from './reads.ts'

/** `work` may be done twice. */
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
