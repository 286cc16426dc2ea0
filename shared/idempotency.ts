// Idempotency keys as gateway and workers both see them: one table keeps the first answer, whoever gave it.
import { message } from './messages/message.ts'
import { Refusal } from './refusal.ts'

/** SQL: the number of the lock that whoever does the work of a key holds; `name` is SQL of its scope, a space and the key. */
export const keyLock = (name: string) => `hashtextextended(${name}, 0)`

/** SQL that gives what stands for a key that named somebody who was erased: nobody can read it, and a repeat finds it. */
export const erasedKey = (key: string) => `'erased ' || encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`

export const keyInUse = () =>
  new Refusal(
    'idempotency_key_in_use',
    message`The first request with this Idempotency-Key is still in progress.`,
  )
