// Tries out a change: makes the change, then rolls back to a savepoint, which also releases the locks of the change.
import { openWrite, type Write } from './write.ts'

export async function tryOut<Result>(
  write: Write,
  change: (trial: Write) => Promise<Result>,
): Promise<Result> {
  const savepoint = await write.trx.transaction()
  try {
    return await change(openWrite(savepoint, write))
  } finally {
    await savepoint.rollback()
  }
}
