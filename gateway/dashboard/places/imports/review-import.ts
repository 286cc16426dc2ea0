// Places: what an import of desks, rooms and parking would do, and applying exactly that; how far it is, and what came of it.

import { choice, object, pathUuid } from '../../../../shared/contracts/fields.ts'
import type { BookableImportCounts } from '../../../../shared/contracts/places/bookable-imports.ts'
import { bookableColumns } from '../../../../shared/lists/bookable-columns.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/refusal.ts'
import { type Html, html } from '../../../http/html.ts'
import { type Call, page, type View } from '../../framework/page.ts'
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
} from '../../imports/frame.ts'
import { stageOf } from '../../imports/stages.ts'
import { describeChanges, describeIgnoredColumns } from '../../imports/words.ts'
import { sentence, t, tHtml } from '../../language/translate.ts'
import { showRelativeInstant } from '../../time/instants.ts'
import { showLink } from '../../ui/links.ts'
import { pageNumber } from '../../ui/paging.ts'
import { findLocation, type LocationRow } from '../locations/queries.ts'
import { showImportPlan } from './plan-sections.ts'
import {
  BOOKABLE_PLAN_SECTIONS,
  type BookableImportRow,
  type BookablePlan,
  type BookablePlanSection,
  findBookableImport,
  findBookablePlan,
} from './queries.ts'
import { describeCounts } from './words.ts'

const missing = message`This import does not exist, or it is more than seven days old.`

type ImportCall = Call<{ id: string }, { show?: BookablePlanSection | undefined; page: number }>

export const reviewBookableImport = page({
  path: '/places/imports/{id}',
  title: sentence`Import`,
  section: 'Places',
  params: object({ id: pathUuid() }),
  query: object({
    show: choice(
      BOOKABLE_PLAN_SECTIONS,
      (name) => message`${name} must be one of ${BOOKABLE_PLAN_SECTIONS.join(', ')}.`,
    ),
    page: pageNumber(),
  }),
  missing,
  actions: (action) => ({
    apply: action(object({}), async (call) => {
      const row = await requireOwnImport(call)
      // One for each plan: a second sending, from whichever window, finds the job of the first.
      const input = { ...row.input, plan_id: row.id }
      const { id } = await call.accept('bookables.apply-import-plan', input, 'apply')
      return { redirectTo: call.link(`/places/imports/${id}`) }
    }),
    'review-again': action(object({}), async (call) => {
      const { id } = await call.accept('bookables.plan-import', (await requireOwnImport(call)).input)
      return { redirectTo: call.link(`/places/imports/${id}`) }
    }),
  }),
  live: {
    progress: { everySeconds: 1, show: async (call) => describeProgress(await requireImport(call)) },
  },
  downloads: {
    csv: (call) => errorRows(call, 'bookables.export-refused', 'csv'),
    xlsx: (call) => errorRows(call, 'bookables.export-refused', 'xlsx'),
  },
  async show(call): Promise<View> {
    const row = await requireImport(call)
    const location = await findLocation(call.reads, row.input.location_id)
    const isWaiting = stageOf(row) === 'waiting'
    const content = isWaiting ? await showProgress(call) : await showResult(call, row)
    const started = showRelativeInstant(row.createdAt, call.now)
    return {
      title: row.input.filename,
      lead: location
        ? tHtml`Import into ${location.name}, started by ${row.actorName} ${started}.`
        : tHtml`Started by ${row.actorName} ${started}.`,
      breadcrumbs: [[t`Places`, '/places'], ...(location ? breadcrumbsOf(location) : [])],
      content,
    }
  },
})

const breadcrumbsOf = ({ id, name, building, buildingId }: LocationRow): Array<[string, string]> => [
  [building, `/places/buildings/${buildingId}`],
  [name, `/places/locations/${id}`],
  [t`Import desks, rooms or parking`, `/places/locations/${id}/import`],
]

async function requireImport(call: ImportCall): Promise<BookableImportRow> {
  const { primary, reads } = call.services
  const row = await findBookableImport(primary, call.params.id)
  if (!row) throw new Refusal('not_found', missing)
  // Whoever sees here that it is done finds what it has done.
  await reads.noteWrite({ type: 'admin', id: call.requireAdmin().id })
  return row
}

async function requireOwnImport(call: ImportCall): Promise<BookableImportRow> {
  const row = await requireImport(call)
  requireOwn(call, row)
  return row
}

const pathsOf = ({ input }: BookableImportRow): ImportPaths => ({
  start: `/places/locations/${input.location_id}/import`,
  review: '/places/imports/',
})

async function showResult(call: ImportCall, row: BookableImportRow): Promise<Html> {
  const stage = stageOf(row)
  if (stage === 'failed') return showFailure(call, row, pathsOf(row))
  const applied = appliedOf(row)
  const planId = applied?.planId ?? row.id
  const plan = await findBookablePlan(call.services.primary, planId)
  const sections = plan
    ? await showImportPlan(call, { planId, counts: plan.counts, isApplied: applied !== undefined })
    : html`<p class="soft">${t`The rows of this import are no longer available.`}</p>`
  if (applied) return html`${showApplied(call, row, applied.counts)}${sections}`
  return html`${
    stage === 'stale' &&
    showStale(
      t`Something here has changed since your review, so the import would now do something else. Please review it again.`,
    )
  }${showDecision(call, row, plan)}${sections}`
}

/** Undefined where nothing is applied: its rows are then those of its own import plan. */
function appliedOf(row: BookableImportRow): { planId: string; counts: BookableImportCounts } | undefined {
  if (row.name !== 'bookables.apply-import-plan' || !row.reply?.applied) return undefined
  return { planId: row.input.plan_id, counts: row.reply.counts }
}

function showApplied(call: ImportCall, { input }: BookableImportRow, counts: BookableImportCounts): Html {
  return html`<div class="notice good" role="status"><p><strong>${t`Import applied.`}</strong> ${describeCounts(counts, true)}</p></div>
<div class="buttons">${showLink(call.link(`/places/locations/${input.location_id}`), t`View desks, rooms and parking`, { class: 'button primary' })}</div>`
}

function showDecision(call: ImportCall, row: BookableImportRow, plan: BookablePlan | undefined): Html {
  const paths = pathsOf(row)
  const whyNot = showWhyNot(call, row, paths, plan !== undefined)
  if (whyNot || !plan) return whyNot ?? html``
  const { counts, header } = plan
  const ignored = describeIgnoredColumns(header, bookableColumns(header))
  return askToApply(call, paths, {
    told: describeCounts(counts, false),
    hint: ignored !== undefined && html`<p>${ignored}</p>`,
    submit: describeChanges(counts),
    hasErrors: counts.error > 0,
  })
}
