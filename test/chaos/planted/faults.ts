// Faults of ours, each of which takes away something that keeps a promise, and the scene in which it shows. Code is
// planted in a copy of dist/, by the very lines that are built; what the database enforces, by SQL.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Patch } from '../../harness/built-copy.ts'
import type { Planted } from '../../harness/planted.ts'
import type { Broken } from '../history.ts'
import type { Settings } from '../run.ts'
import {
  comeFromAnotherCluster,
  loseAcceptedJobs,
  overtakeAbandoned,
  repeatAtOnce,
  takeOverImport,
} from './scenes.ts'

export type PlantedInScene = Planted<Broken> & {
  sabotage?(database: Knex): PromiseLike<unknown>
  scene: Partial<Settings>
}

const KILLED_BEFORE_REPLY = 'a worker is killed after its commit, before its reply'
const KILLED_BEFORE_COMMIT = 'a worker is killed before its commit'
const LOST_BEFORE_COMMIT = 'a connection is lost before its commit'
const LOST_ACCEPTANCE = 'the answer to an accepted job is lost'
const LATER = 'writes are done later than every timer'
const SILENT = 'the workers’ Postgres is silent past every deadline'
// Long enough for another worker to take over.
const TAKE_OVER_MS = 6_000

// Where nothing else happens, enough must be written for it to show.
const calm = { faults: [], workers: 1, gateways: 1, writes: 150 } satisfies Partial<Settings>
// A few desks for those who wait, and hardly anybody else.
const waiting = {
  faults: [],
  clients: 2,
  kinds: ['book'],
  waiters: 12,
  writes: 1,
} satisfies Partial<Settings>
const SOME_MS = 20_000
// Some are left behind for longer than that.
const WAITED_MS = 45_000
const replace = (file: string, find: string, by: string): Patch => ({ file, find, replace: by })

// At the end of the transaction: until then all is as it should be.
function forgetReceipts(database: Knex, event: string, condition: string) {
  return database.raw(`
    CREATE FUNCTION forget_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN DELETE FROM receipts WHERE attempt = NEW.attempt; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER forget_receipt AFTER ${event} ON receipts DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION forget_receipt()`)
}

export const PLANTED: PlantedInScene[] = [
  {
    name: 'an undo of all that shares a request id',
    patches: [
      replace(
        'shared/undo/one-write.js',
        'WHERE attempt = asked.attempt',
        'WHERE (at, request_id, actor_type, actor_name) = (asked.at, asked.request_id, asked.actor_type, asked.actor_name)',
      ),
    ],
    shows: ['an undo or a swap that changed something else'],
    scene: { ...calm, clerks: 4, kinds: ['book'], scene: () => wait(SOME_MS) },
  },
  {
    name: 'a pass of offers in one long transaction',
    patches: [
      replace(
        'workers/pollers/holds/offering.js',
        'await offerOnFloor(database, location, isStopping)',
        'await database.transaction((trx) => offerOnFloor(trx, location, isStopping))',
      ),
      replace(
        'workers/pollers/holds/offering.js',
        'const outcome = await offerOne(floor, waiting)',
        'const outcome = await offerOne(floor, waiting); await new Promise((resume) => setTimeout(resume, 2000))',
      ),
    ],
    shows: ['a transaction that held back the change feed'],
    scene: { ...waiting, scene: () => wait(SOME_MS) },
  },
  {
    name: 'no exclusion constraint',
    // One of the same name that nothing breaks: ON CONFLICT names it.
    sabotage: (database) =>
      database.raw(`
        ALTER TABLE bookings DROP CONSTRAINT bookings__no_overlap;
        ALTER TABLE bookings ADD CONSTRAINT bookings__no_overlap
          EXCLUDE USING gist (id WITH =, during WITH &&) WHERE (exclusive)`),
    shows: ['double-booked'],
    scene: { ...calm, kinds: ['compete'] },
  },
  {
    name: 'requests that are decided without a lock',
    patches: [
      replace('workers/jobs/claims/holds.js', 'AND kind = ? FOR UPDATE', 'AND kind = ?'),
      replace('workers/jobs/claims/holds.js', "AND state = 'pending'\n     RETURNING", 'RETURNING'),
    ],
    shows: ['a request or offer that was decided twice, or keeps a place that is not its own'],
    scene: { faults: [], workers: 3, gateways: 2, writes: 600, kinds: ['request', 'decide'] },
  },
  {
    name: 'a waitlist without an order',
    patches: [
      replace(
        'workers/pollers/holds/waiting-line.js',
        'FROM first ORDER BY first.id',
        'FROM first ORDER BY first.id DESC',
      ),
    ],
    shows: ['offered to somebody who came later'],
    scene: { ...waiting, scene: () => wait(WAITED_MS) },
  },
  {
    name: 'an offer of which its wait does not learn when the worker dies',
    patches: [
      replace(
        'workers/pollers/holds/offering.js',
        'createHold(write,',
        'createHold({ ...write, ...openWrite(database, author()) },',
      ),
      replace(
        'workers/pollers/holds/offering.js',
        'if (holdId === undefined)',
        "if (Math.random() < 0.3) throw new Error('The worker dies'); if (holdId === undefined)",
      ),
    ],
    shows: ['a request or offer that was decided twice, or keeps a place that is not its own'],
    scene: { ...waiting, scene: () => wait(SOME_MS) },
  },
  {
    name: 'an offer that lapses without its wait',
    patches: [
      replace(
        'workers/jobs/claims/holds.js',
        'if (offers.length === 0)',
        "if (offers.length === 0 || state === 'lapsed')",
      ),
    ],
    shows: ['a request or offer that was decided twice, or keeps a place that is not its own'],
    scene: { ...waiting, scene: () => wait(SOME_MS) },
  },
  {
    name: 'an offer that never lapses',
    patches: [
      replace(
        'workers/pollers/holds/lapsing.js',
        "WHERE state = 'pending' AND",
        "WHERE state = 'pending' AND kind = 'request' AND",
      ),
    ],
    shows: ['a place that is held for ever, or free while somebody waits'],
    scene: { ...waiting, scene: () => wait(SOME_MS) },
  },
  {
    name: 'no receipt of what was done',
    sabotage: (database) => forgetReceipts(database, 'UPDATE', 'NEW.outcome IS NOT NULL'),
    shows: ['the answer of another write', 'answered 503 and present'],
    scene: { waitMs: TAKE_OVER_MS, faults: [KILLED_BEFORE_REPLY, KILLED_BEFORE_REPLY] },
  },
  {
    name: 'no mark of what was abandoned',
    sabotage: (database) => forgetReceipts(database, 'INSERT', 'NEW.abandoned_at IS NOT NULL'),
    shows: ['answered 503 and present'],
    scene: { faults: ['receipts are inserted past their deadline'], leavesShare: 1 },
  },
  {
    name: 'a batch that does not look who was called off',
    // The database would not let it store an outcome beside the mark.
    sabotage: (database) =>
      database.raw('ALTER TABLE receipts DROP CONSTRAINT receipts__abandoned_without_outcome'),
    patches: [
      replace('workers/runtime/perform.js', "receipt?.state !== 'ours'", "receipt?.state === 'done'"),
    ],
    shows: ['answered 503 and present'],
    scene: { faults: ['receipts are inserted past their deadline'], leavesShare: 1 },
  },
  {
    name: 'a batch that answers what it could not commit',
    patches: [
      replace(
        'workers/runtime/connection.js',
        'await Promise.all([connection.query(end), ...lastStatements])',
        'await Promise.all([connection.query(end).catch(() => ({ command: end }))])',
      ),
    ],
    shows: ['acknowledged and missing', 'the answer of another write'],
    scene: { waitMs: TAKE_OVER_MS, kinds: ['book'], faults: [LOST_BEFORE_COMMIT, LOST_BEFORE_COMMIT] },
  },
  {
    name: 'a batch that mixes up its answers',
    patches: [
      replace(
        'workers/jobs/bookings/insert-bookings.js',
        'kept[ordinal - 1]?.booking',
        'kept[ordinal % kept.length]?.booking',
      ),
    ],
    shows: ['the answer of another write', 'acknowledged and missing'],
    scene: { ...calm, kinds: ['book'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of check-ins that mixes up its answers',
    patches: [
      replace(
        'workers/jobs/bookings/bookings.js',
        'shown.set(id, text)',
        'shown.set(id, shown.last ?? text), shown.last = text',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...calm, kinds: ['check in'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of changes that mixes up its answers',
    patches: [
      replace(
        'workers/jobs/bookings/save-bookings.js',
        'kept[index]?.change',
        'kept[(index + 1) % kept.length]?.change',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...calm, kinds: ['move'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of events that mixes up its answers',
    patches: [
      replace(
        'workers/jobs/events/record-events.js',
        'SELECT text FROM written ORDER BY ordinal',
        'SELECT text FROM written ORDER BY ordinal DESC',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...calm, kinds: ['meet'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of events that does not look which rooms were taken',
    patches: [
      replace(
        'workers/jobs/events/rooms.js',
        'claims.filter((claim) => !claimed.has(',
        'claims.filter((claim) => claimed.has(claim) && (',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...calm, kinds: ['meet in contended rooms'], clients: 24 },
  },
  {
    name: 'a batch that changes something else than it records',
    patches: [
      replace(
        'workers/jobs/bookings/record-bookings.js',
        'changed.map(({ values }) => values[column])',
        'changed.map((_, index) => changed[(index + 1) % changed.length].values[column])',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...calm, kinds: ['move'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of deletions that leaves all but the first',
    patches: [
      replace(
        'workers/jobs/bookings/bookings.js',
        '(await remove(connection, bookings)).map',
        '(await remove(connection, bookings.slice(0, 1)), bookings).map',
      ),
    ],
    shows: ['acknowledged and missing', 'an audit row without its write, or a write without its audit row'],
    scene: { ...calm, kinds: ['cancel'], clients: 24, writes: 400 },
  },
  {
    name: 'a 503 without an abandoned mark',
    patches: [replace('gateway/queue/call-off.js', 'receipts.abandon(', 'receipts.find(')],
    shows: ['answered 503 and present'],
    scene: { faults: [SILENT], leavesShare: 1 },
  },
  {
    name: 'no deadline',
    patches: [replace('workers/runtime/attempts.js', 'if (lateMs <= 0)', 'if (lateMs <= Infinity)')],
    shows: ['answered 503 and present'],
    scene: { faults: [], gateways: 1, leavesShare: 1, scene: overtakeAbandoned },
  },
  {
    name: 'the reply before the commit',
    patches: [
      replace(
        'workers/delivery/run.js',
        'performTogether(tools.database, envelopes,',
        `performTogether(
          tools.database,
          envelopes.map((each) => Object.assign(each, {
            early: (outcome) => reply(tools.redis, [{ envelope: each, outcome }], first.log),
          })),`,
      ),
      replace(
        'workers/runtime/perform.js',
        'last(() => Promise.all([store(',
        '{ for (const [each, { outcome }] of done) each.early?.(outcome) } last(() => Promise.all([store(',
      ),
    ],
    shows: ['the answer of another write', 'acknowledged and missing'],
    scene: { waitMs: TAKE_OVER_MS, kinds: ['book'], faults: [KILLED_BEFORE_COMMIT, KILLED_BEFORE_COMMIT] },
  },
  {
    name: 'one outcome stored for two attempts',
    patches: [
      replace(
        'workers/runtime/receipts.js',
        'decisions.map(({ outcome }) => JSON.stringify(outcome))',
        'decisions.map(({ outcome }) => { const text = globalThis.stored ?? JSON.stringify(outcome); globalThis.stored = JSON.stringify(outcome); return text })',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { waitMs: TAKE_OVER_MS, kinds: ['book'], faults: [KILLED_BEFORE_REPLY, KILLED_BEFORE_REPLY] },
  },
  {
    name: 'the reply of another attempt',
    patches: [
      replace(
        'workers/runtime/replies.js',
        'const { attempt, replyTo } = envelope;',
        'const { attempt, replyTo } = envelope; [outcome, globalThis.sent] = [globalThis.sent ?? outcome, outcome];',
      ),
      replace(
        'workers/runtime/replies.js',
        'for (const { envelope, outcome } of',
        'for (let { envelope, outcome } of',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...calm, kinds: ['book'] },
  },
  {
    name: 'a key that is forgotten at once',
    patches: [replace('workers/runtime/idempotency-keys.js', 'idempotency && isSaved(outcome)', 'false')],
    shows: ['a repeat that did not get the first answer'],
    scene: calm,
  },
  {
    name: 'a key that is not held while its write is done',
    patches: [
      replace(
        'workers/runtime/idempotency-keys.js',
        'const isLocked = locks.rows[index]?.got === true && ',
        'const isLocked = ',
      ),
    ],
    shows: ['a key with two effects'],
    scene: { faults: [], gateways: 1, kinds: ['set a state'], waitMs: TAKE_OVER_MS, scene: repeatAtOnce },
  },
  {
    name: 'a key that is everybody’s',
    patches: [
      replace(
        'gateway/server/http/middleware/idempotency.js',
        'const scope = scopeOf(',
        "const scope = true ? 'everybody' : scopeOf(",
      ),
    ],
    shows: ['refused, and nobody was in the way', 'the answer of another write'],
    scene: calm,
  },
  {
    name: 'a key of the path as it was written',
    patches: [
      replace(
        'gateway/server/http/middleware/idempotency.js',
        'const scope = scopeOf(',
        "const scope = [requireToken(ctx).id, ctx.method, ctx.path].join(' ') || scopeOf(",
      ),
    ],
    shows: ['a repeat that did not get the first answer', 'a key with two effects'],
    scene: { ...calm, kinds: ['book', 'set a state'] },
  },
  {
    name: 'a key that does not know its request',
    patches: [replace('workers/runtime/idempotency-keys.js', 'if (!row.same)', 'if (false)')],
    shows: ['an answer that is not documented, a 5xx other than 503 and 504'],
    scene: { ...calm, kinds: ['book', 'reuse a key'] },
  },
  {
    name: 'a retry as another attempt, without the key',
    patches: [
      replace(
        'gateway/queue/dispatch.js',
        'outcome ?? (await callOff(this.#parts, { queue, queueName, envelope, declinedJob }))',
        'outcome ?? await this.dispatch(name, input, { ...origin, idempotency: null })',
      ),
    ],
    shows: ['a key with two effects', 'refused, and nobody was in the way'],
    scene: { faults: [SILENT], kinds: ['book', 'set a state'] },
  },
  {
    name: 'a refusal that does not undo',
    patches: [
      replace(
        'workers/runtime/perform.js',
        'trx.transaction((savepoint) => handler(openWrite(savepoint, context), envelope.input))',
        'handler(openWrite(trx, context), envelope.input)',
      ),
      replace('workers/jobs/events/save-events.js', 'ROLLBACK TO SAVEPOINT saved', 'SELECT 1'),
    ],
    shows: ['refused and present'],
    scene: { ...calm, kinds: ['meet in contended rooms'] },
  },
  {
    name: 'the audit row in a transaction of its own',
    patches: [
      replace(
        'shared/audit/audit.js',
        'return insert(trx, author,',
        'return insert(author.database, author,',
      ),
    ],
    shows: ['an audit row without its write, or a write without its audit row'],
    scene: {
      waitMs: TAKE_OVER_MS,
      kinds: ['set a state'],
      faults: [KILLED_BEFORE_COMMIT, KILLED_BEFORE_COMMIT],
    },
  },
  {
    name: 'a change without a lock',
    patches: [replace('workers/jobs/rows/rows.js', "'FOR NO KEY UPDATE'", "''")],
    shows: ['an audit row without its write, or a write without its audit row'],
    scene: { ...calm, kinds: ['set a state'] },
  },
  {
    name: 'a booking that looks at the state without a lock',
    patches: [replace('workers/jobs/claims/facts.js', 'FOR SHARE', '')],
    shows: ['booked while blocked'],
    scene: { ...calm, kinds: ['set a state', 'book a blocked one'], clients: 24, writes: 400 },
  },
  {
    name: 'a check-in that does not look whether the rest was released',
    patches: [replace('workers/jobs/rules/check-in-windows.js', 'if (isReleased)', 'if (false)')],
    shows: ['checked in after the release'],
    // Workers look for what is to be released every four seconds, and leave a check-in two seconds to arrive. Each time may catch
    // nothing but new bookings.
    scene: { faults: [LATER, LATER, LATER, LATER], kinds: ['check in'], waitMs: 12_000 },
  },
  {
    name: 'a deletion that does not say where it was',
    patches: [
      replace(
        'shared/changes/buildings.js',
        'UNION SELECT unnest(',
        "UNION SELECT unnest('{}'::bigint[]) FROM unnest(",
      ),
    ],
    shows: ['a change that does not say in which buildings it was'],
    scene: { ...calm, kinds: ['book', 'cancel', 'meet', 'rearrange'] },
  },
  {
    name: 'an outbox that stays with the cluster of before',
    patches: [replace('shared/changes/cluster.js', 'if (!found.isMoved)', 'if (found)')],
    shows: ['a change that is never served'],
    scene: { ...calm, kinds: ['book'], scene: comeFromAnotherCluster },
  },
  {
    name: 'an import that is applied again when it is taken over',
    // As long as its file is there: without it the second time ends with a fault, and changes nothing.
    patches: [
      replace(
        'gateway/api/rest/users/users-routes.js',
        'if (!call.wantsAsync || answer.replayed)',
        'if (false)',
      ),
      replace(
        'workers/runtime/perform.js',
        "if (decided?.by === 'receipt')",
        "if (decided?.by === 'receipt' && handler.name !== 'importUsers')",
      ),
      replace(
        'workers/runtime/perform.js',
        'const outcome = decided?.outcome ??',
        "const outcome = (handler.name === 'importUsers' ? undefined : decided?.outcome) ??",
      ),
    ],
    shows: ['a key with two effects'],
    scene: { faults: [], kinds: ['book'], importers: 1, scene: takeOverImport },
  },
  {
    name: 'an accepted job whose caller hears 503',
    patches: [
      replace(
        'gateway/queue/dispatch.js',
        'const stored = await findStored(pool, attempt)',
        'const stored = await Promise.resolve(undefined)',
      ),
      replace('gateway/queue/call-off.js', 'receipts.abandon(', 'receipts.find('),
    ],
    shows: ['answered 503 and present'],
    scene: { faults: [LOST_ACCEPTANCE, LOST_ACCEPTANCE], gateways: 1, importers: 4, kinds: ['book'] },
  },
  {
    name: 'an accepted job that is not queued again',
    patches: [
      replace(
        'workers/pollers/upkeep.js',
        'await requeueAccepted(database, identity.database, queueOf, log);',
        'return;',
      ),
    ],
    shows: ['accepted and not done'],
    scene: { faults: [], kinds: ['book'], importers: 2, settledMsMax: 5_000, scene: loseAcceptedJobs },
  },
]
