// People: what an import would do, and applying exactly that; how far it is, and what came of it.
import { choice, object, pathUuid } from '../../../shared/contracts/fields.ts'
import type { ImportCounts } from '../../../shared/contracts/users.ts'
import { userColumns } from '../../../shared/lists/user-columns.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { type Html, html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { sentence, t, tHtml } from '../language/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { showLink } from '../ui/links.ts'
import { pageNumber } from '../ui/paging.ts'
import {
  askToApply,
  describeProgress,
  errorRows,
  type ImportPaths,
  requireOwn,
  showFailure,
  showProgress,
  showStale,
  showWhyNot,
} from './frame.ts'
import { showImportPlan } from './plan-sections.ts'
import {
  findImport,
  findImportPlan,
  IMPORT_PLAN_SECTIONS,
  type ImportPlan,
  type ImportRow,
} from './queries.ts'
import { stageOf } from './stages.ts'
import {
  describeChanges,
  describeCounts,
  describeIgnoredColumns,
  describeKept,
  describeOptions,
  describeRefusedDeactivation,
} from './words.ts'

const PATHS: ImportPaths = { start: '/people/import', review: '/people/imports/' }

const missing = message`This import does not exist, or it is more than seven days old.`

const query = object({
  show: choice(
    IMPORT_PLAN_SECTIONS,
    (name) => message`${name} must be one of ${IMPORT_PLAN_SECTIONS.join(', ')}.`,
  ),
  page: pageNumber(),
})

export const reviewImport = page({
  path: '/people/imports/{id}',
  title: sentence`Import`,
  section: 'People',
  params: object({ id: pathUuid() }),
  query,
  missing,
  actions: (action) => ({
    apply: action(object({}), async (call) => {
      const row = await requireOwnImport(call)
      // One for each plan: a second sending, from whichever window, finds the job of the first.
      const input = { ...row.input, plan_id: row.id }
      const { id } = await call.accept('users.apply-import-plan', input, 'apply')
      return { redirectTo: call.link(`/people/imports/${id}`) }
    }),
    'review-again': action(object({}), async (call) => {
      const { id } = await call.accept('users.plan-import', (await requireOwnImport(call)).input)
      return { redirectTo: call.link(`/people/imports/${id}`) }
    }),
  }),
  live: {
    progress: {
      everySeconds: 1,
      show: async (call) => describeProgress(await requireImport(call)),
    },
  },
  downloads: {
    csv: (call) => errorRows(call, 'users.export-refused', 'csv'),
    xlsx: (call) => errorRows(call, 'users.export-refused', 'xlsx'),
  },
  async show(call) {
    const row = await requireImport(call)
    const stage = stageOf(row)
    const content = stage === 'waiting' ? await showProgress(call) : await showResult(call, row)
    return {
      title: row.input.filename,
      lead: html`${describeOptions(row.input)} ${tHtml`Started by ${row.actorName} ${showRelativeInstant(row.createdAt, call.now)}.`}`,
      breadcrumbs: [
        [t`People`, '/people'],
        [t`Import people`, '/people/import'],
      ],
      content,
    }
  },
})

type ImportCall = Call<
  { id: string },
  { show?: (typeof IMPORT_PLAN_SECTIONS)[number] | undefined; page: number }
>

async function requireImport(call: ImportCall): Promise<ImportRow> {
  const { primary, reads } = call.services
  const row = await findImport(primary, call.params.id)
  if (!row) throw new Refusal('not_found', missing)
  // Whoever sees here that it is done finds what it has done.
  await reads.noteWrite({ type: 'admin', id: call.requireAdmin().id })
  return row
}

async function requireOwnImport(call: ImportCall): Promise<ImportRow> {
  const row = await requireImport(call)
  requireOwn(call, row)
  return row
}

async function showResult(call: ImportCall, row: ImportRow): Promise<Html> {
  const stage = stageOf(row)
  if (stage === 'failed') return showFailure(call, row, PATHS)
  const applied = appliedOf(row)
  const planId = applied?.planId ?? row.id
  const plan = await findImportPlan(call.services.primary, planId)
  const sections = plan
    ? await showImportPlan(call, { planId, counts: plan.counts, isApplied: applied !== undefined })
    : html`<p class="soft">${t`The rows of this import are no longer available.`}</p>`
  if (applied) return html`${showApplied(call, applied.counts)}${sections}`
  return html`${
    stage === 'stale' &&
    showStale(
      t`People have changed since your review, so the import would now do something else. Please review it again.`,
    )
  }${showDecision(call, row, plan)}${sections}`
}

/** Undefined where nothing is applied: its rows are then those of its own import plan. */
function appliedOf(row: ImportRow): { planId: string; counts: ImportCounts } | undefined {
  if (row.name !== 'users.apply-import-plan' || !row.reply?.applied) return undefined
  return { planId: row.input.plan_id, counts: row.reply.counts }
}

function showApplied(call: ImportCall, counts: ImportCounts): Html {
  return html`<div class="notice good" role="status"><p><strong>${t`Import applied.`}</strong> ${describeCounts(counts, true)}</p></div>
<div class="buttons">${showLink(call.link('/people'), t`View people`, { class: 'button primary' })}
${counts.deactivate > 0 && showLink(call.link('/people/deactivated'), t`Bookings and desks of deactivated people`, { class: 'button quiet' })}</div>`
}

function showDecision(call: ImportCall, row: ImportRow, plan: ImportPlan | undefined): Html {
  const whyNot = showWhyNot(call, row, PATHS, plan !== undefined)
  if (whyNot || !plan) return whyNot ?? html``
  const { counts, header } = plan
  const ignored = describeIgnoredColumns(header, userColumns(header))
  return askToApply(call, PATHS, {
    told: describeCounts(counts, false),
    hint: html`${ignored !== undefined && html`<p>${ignored}</p>`}${showDeactivation(row, plan)}`,
    submit: describeChanges(counts),
    hasErrors: counts.error > 0,
    tone: counts.deactivate > 0 ? 'danger' : 'primary',
  })
}

function showDeactivation({ input }: ImportRow, { counts, header }: ImportPlan): Html | false {
  if (!input.deactivate) return false
  const refused = describeRefusedDeactivation(counts, header)
  if (refused !== undefined)
    return html`<div class="notice warn"><p><strong>${t`Nobody will be deactivated.`}</strong> ${refused}</p></div>`
  const kept = describeKept(counts)
  return kept !== undefined && html`<p>${kept}</p>`
}
