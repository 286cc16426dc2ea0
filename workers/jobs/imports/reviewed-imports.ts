// An import that an administrator reviews: stores its plan, and applies exactly that plan, for every kind of
// list.
import { audit, type Change } from '../../../shared/audit/audit.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { forgetFile, isStored } from '../../runtime/files.ts'

type Input = { file_id: string; filename: string }
type Counts = Record<'create' | 'change' | 'skip' | 'error', number>

/** The parts that differ between lists. */
export type ImportList<In extends Input, Plan extends { header: string[] }, Of extends Counts> = {
  /** Reads the file, and passes its plan to `act`; if `isApplied`, locks first what the plan changes. */
  withPlan<Reply>(
    trx: Transaction,
    input: In,
    options: { isApplied: boolean },
    context: WorkContext,
    act: (savepoint: Transaction, plan: Plan) => Promise<Reply>,
  ): Promise<Reply>
  count(trx: Transaction, plan: Plan): Promise<Of>
  /** Equal for two plans that make the same changes to the same rows, with the same values before. */
  digest(trx: Transaction, plan: Plan): Promise<string>
  storeRows(trx: Transaction, id: string, plan: Plan): Promise<void>
  apply(trx: Transaction, plan: Plan, input: In, context: WorkContext): Promise<void>
  audited(input: In, counts: Of): Change
}

const KEPT_HOURS = 24

export function reviewedImport<In extends Input, Plan extends { header: string[] }, Of extends Counts>(
  list: ImportList<In, Plan, Of>,
) {
  type Described = { digest: string; counts: Of }

  async function describe(trx: Transaction, plan: Plan): Promise<Described> {
    return { digest: await list.digest(trx, plan), counts: await list.count(trx, plan) }
  }

  async function store(trx: Transaction, id: string, plan: Plan, { digest, counts }: Described) {
    await trx.raw(
      `INSERT INTO import_plans (id, digest, header, counts, expires_at)
       VALUES (?, ?, ?, ?, now() + ? * interval '1 hour')`,
      [id, digest, plan.header, JSON.stringify(counts), KEPT_HOURS],
    )
    await list.storeRows(trx, id, plan)
  }

  return {
    /** Changes nothing: an administrator reviews the plan first. */
    async plan(trx: Transaction, input: In, context: WorkContext): Promise<{ counts: Of }> {
      await refuseDeletedFile(input.file_id, context)
      return list.withPlan(trx, input, { isApplied: false }, context, async (savepoint, plan) => {
        const described = await describe(savepoint, plan)
        await store(savepoint, context.attempt, plan, described)
        return { counts: described.counts }
      })
    },

    /**
     * Applies only the plan that the administrator has seen. If the plan is now another one, stores it for
     * review.
     */
    async apply(
      trx: Transaction,
      input: In & { plan_id: string },
      context: WorkContext,
    ): Promise<{ applied: boolean; counts: Of }> {
      await refuseDeletedFile(input.file_id, context)
      return list.withPlan(trx, input, { isApplied: true }, context, async (savepoint, plan) => {
        const described = await describe(savepoint, plan)
        const { digest, counts } = described
        if (digest !== (await findStoredDigest(savepoint, input.plan_id))) {
          await store(savepoint, context.attempt, plan, described)
          return { applied: false, counts }
        }
        await list.apply(savepoint, plan, input, context)
        await audit(savepoint, context, list.audited(input, counts))
        await forgetFile(savepoint, input.file_id)
        return { applied: true, counts }
      })
    },
  }
}

/** With the names of the audit log. */
export const auditedCounts = ({ create, change, skip, error }: Counts) => ({
  created: create,
  updated: change,
  skipped: skip,
  errors: error,
})

/** Undefined if the plan is no longer stored. */
async function findStoredDigest(trx: Transaction, planId: string): Promise<string | undefined> {
  const { rows } = await trx.raw('SELECT digest FROM import_plans WHERE id = ?', [planId])
  return rows[0]?.digest
}

async function refuseDeletedFile(fileId: string, { database }: WorkContext): Promise<void> {
  if (await isStored(database, fileId)) return
  throw invalid({
    file: [message`The file is no longer stored: it has been applied, or it is older than 24 hours.`],
  })
}
