// Forces the order of two writes in a test: a request waits for a lock of another transaction, which writes first.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { eventually } from '../time.ts'
import type { World } from '../world.ts'
import { countLockWaits } from './pipeline.ts'

type Race<Answer> = {
  /** Takes the lock for which the request waits. */
  lock: (trx: Knex.Transaction) => PromiseLike<unknown>
  send: () => Promise<Answer>
  /** Writes in the same transaction as soon as the request waits. */
  write: (trx: Knex.Transaction) => PromiseLike<unknown>
}

/** Sends a request that waits until another transaction has written and committed. Returns the answer. */
export async function sendDuring<Answer>(world: World, { lock, send, write }: Race<Answer>): Promise<Answer> {
  const { sending } = await world.database.transaction(async (trx) => {
    await lock(trx)
    const sending = send()
    await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
    await write(trx)
    return { sending }
  })
  return sending
}
