// What gateway and workers share about idempotency keys: one table keeps the first answer, whichever of them
// gave it.
import { lockOf } from '../database/locks.ts'
import { message } from '../messages/message.ts'
import { Refusal } from '../messages/refusal.ts'

/**
 * SQL: the number of the lock held while the work of a key is done; `name` is SQL of its scope, a space and
 * the key.
 */
export const keyLock = (name: string) => lockOf('idempotencyKey', name)

/** SQL: the replacement for a key that named an erased person: unreadable, but a repeat still finds it. */
export const erasedKey = (key: string) => `'erased ' || encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`

export const keyInUse = () =>
  new Refusal(
    'idempotency_key_in_use',
    message`The first request with this Idempotency-Key is still in progress.`,
  )
