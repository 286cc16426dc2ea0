// Upkeep: it deletes expired rows and no others, in small pieces and never by cascade.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { sweep } from '../../../workers/pollers/upkeep.ts'
import { useWorld } from '../../support/world.ts'

const log = createLog('test', 'silent')

describe('upkeep', () => {
  const world = useWorld({ workers: [] })

  /** Notes of each statement how many rows of the table it deleted, by cascade too. */
  async function watchDeletions(table: string): Promise<() => Promise<number[]>> {
    await world.database.raw(`
      CREATE TABLE deletions_${table} (number integer);
      CREATE FUNCTION note_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO deletions_${table} SELECT count(*) FROM deleted HAVING count(*) > 0; RETURN NULL; END $$;
      CREATE TRIGGER note AFTER DELETE ON ${table} REFERENCING OLD TABLE AS deleted
        FOR EACH STATEMENT EXECUTE FUNCTION note_${table}()`)
    return () => world.database(`deletions_${table}`).orderBy('number').pluck('number')
  }

  it('deletes import plans and files piece by piece, however many rows they have', async () => {
    const deletedRows = await watchDeletions('import_plan_rows')
    const deletedChunks = await watchDeletions('file_chunks')
    const [id, kept] = [randomUUID(), randomUUID()]
    for (const [plan, hours] of [
      [id, -1],
      [kept, 1],
    ] as const) {
      await world.database.raw(
        `INSERT INTO import_plans (id, digest, header, counts, expires_at)
         VALUES (:plan, '', '{}', '{}', now() + :hours * interval '1 hour')`,
        { plan, hours },
      )
      await world.database.raw(
        `INSERT INTO import_plan_rows (plan_id, section, ordinal)
         SELECT :plan, 'skip', number FROM generate_series(1, 12000) AS number`,
        { plan },
      )
      await world.database.raw(
        `INSERT INTO files (id, name, expires_at) VALUES (:plan, '', now() + :hours * interval '1 hour')`,
        { plan, hours },
      )
      await world.database.raw(
        `INSERT INTO file_chunks (file_id, number, data) SELECT :plan, number, '' FROM generate_series(1, 450) AS number`,
        { plan },
      )
    }
    await sweep(world.database, log, world.config)
    expect(await deletedRows()).to.deep.equal([2_000, 5_000, 5_000])
    expect(await deletedChunks()).to.deep.equal([50, 200, 200])
    expect(await world.database('import_plans').pluck('id')).to.deep.equal([kept])
    expect(await world.database('files').pluck('id')).to.deep.equal([kept])
    expect(await world.database('import_plan_rows')).to.have.length(12_000)
  })

  it('keeps the audit log for ever, or for AUDIT_LOG_KEPT_MONTHS', async () => {
    await world.database.raw(`
      INSERT INTO audit_log (at, actor_type, actor_name, action, resource, request_id)
      SELECT now() - number * interval '1 month' + interval '2 days', 'system', '', 'test', 'users', number::text
      FROM generate_series(1, 30) AS number`)
    const left = () => world.database('audit_log').count('* AS number').first()
    await sweep(world.database, log, world.config)
    expect(await left()).to.deep.equal({ number: 30 })
    await sweep(world.database, log, { ...world.config, auditLogKeptMonths: 24 })
    expect(await left()).to.deep.equal({ number: 24 })
  })
})
