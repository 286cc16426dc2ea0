// People: what an import would do, and applying exactly that; how far it is, and what came of it.
import { choice, object, pathUuid } from '../../../shared/contracts/fields.ts'
import type { ExportFormat, ImportCounts } from '../../../shared/contracts/users.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { EXPORT_CONTENT_TYPES } from '../../http/export-answer.ts'
import { type Html, html } from '../../http/html.ts'
import { PageFailure, withRequestId } from '../framework/failure.ts'
import { type ActionCall, type Call, type Download, page } from '../framework/page.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { form } from '../ui/forms.ts'
import { pageNumber } from '../ui/paging.ts'
import { formatNumber } from '../ui/words.ts'
import { showImportPlan } from './plan-sections.ts'
import {
  findImport,
  findImportPlan,
  IMPORT_PLAN_SECTIONS,
  type ImportPlan,
  type ImportRow,
} from './queries.ts'
import { describePhase, stageOf } from './stages.ts'
import {
  describeChanges,
  describeCounts,
  describeIgnoredColumns,
  describeKept,
  describeOptions,
  describeRefusedDeactivation,
} from './words.ts'

const missing = 'This import does not exist, or it is more than seven days old.'

const query = object({
  show: choice(IMPORT_PLAN_SECTIONS, (name) => `${name} must be one of ${IMPORT_PLAN_SECTIONS.join(', ')}.`),
  page: pageNumber(),
})

export const reviewImport = page({
  path: '/people/imports/{id}',
  title: 'Import',
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
  downloads: { csv: (call) => errorRows('csv', call), xlsx: (call) => errorRows('xlsx', call) },
  async show(call) {
    const row = await requireImport(call)
    const stage = stageOf(row)
    const content = stage === 'waiting' ? await showProgress(call) : await showResult(call, row)
    return {
      title: row.input.filename,
      lead: html`${describeOptions(row.input)} Started by ${row.actorName} ${showRelativeInstant(row.createdAt, call.now)}.`,
      breadcrumbs: [
        ['People', '/people'],
        ['Import people', '/people/import'],
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

async function requireOwnImport(call: ActionCall<{ id: string }, ImportCall['query']>): Promise<ImportRow> {
  const row = await requireImport(call)
  if (!isOwn(call, row))
    throw new PageFailure(
      403,
      'Not yours',
      `Only ${row.actorName}, who uploaded the file, can apply this import.`,
    )
  // Once it is applied the file is gone, and whoever sends the form again is led to what came of it.
  if (!row.hasFile && row.appliedBy === null) throw expired()
  return row
}

const expired = () =>
  new PageFailure(
    409,
    'Expired',
    'This import has expired: it was already applied, or its file was uploaded more than 24 hours ago. Upload the file again.',
  )

function errorRows(format: ExportFormat, { params, now, services }: ImportCall): Download {
  return {
    name: `rows-with-errors-${now.slice(0, 10)}.${format}`,
    contentType: EXPORT_CONTENT_TYPES[format],
    dispatch: (origin, options) =>
      services.dispatcher.dispatch('users.export-refused', { plan_id: params.id, format }, origin, options),
  }
}

async function showProgress(call: ImportCall): Promise<Html> {
  return html`<div class="card narrow">${await call.live('progress')}
<p class="soft">You can leave this page and come back later. <a href="${call.linkHere()}">Refresh</a></p></div>`
}

function describeProgress(row: ImportRow): Html {
  if (row.finishedAt !== null) return html`<p data-reload><strong>Done.</strong></p>`
  const rows = row.rowsRead === null ? '' : `Rows read: ${formatNumber(row.rowsRead)}. `
  return html`<p id="step"><strong>${describePhase(row)}</strong></p>
<progress max="100" value="${row.progress}" aria-labelledby="step">${row.progress} %</progress>
<p class="soft">${rows}${row.name === 'users.plan-import' ? 'Nothing has been changed yet.' : 'Either all changes are applied or none.'}</p>`
}

async function showResult(call: ImportCall, row: ImportRow): Promise<Html> {
  const stage = stageOf(row)
  if (stage === 'failed') return showFailure(call, row)
  const applied = appliedOf(row)
  const planId = applied?.planId ?? row.id
  const plan = await findImportPlan(call.services.primary, planId)
  const sections = plan
    ? await showImportPlan(call, { planId, counts: plan.counts, isApplied: applied !== undefined })
    : html`<p class="soft">The rows of this import are no longer available.</p>`
  if (applied) return html`${showApplied(call, applied.counts)}${sections}`
  return html`${
    stage === 'stale' &&
    html`<div class="notice warn" role="status"><p><strong>Nothing was changed.</strong> People have changed since your
review, so the import would now do something else. Please review it again.</p></div>`
  }${showDecision(call, row, plan)}${sections}`
}

function showFailure(call: ImportCall, row: ImportRow): Html {
  const { detail, errors, request_id: requestId = '' } = row.problem ?? {}
  const sentences = errors
    ? Object.values(errors).flat()
    : [withRequestId(detail ?? 'The import failed.', requestId)]
  return html`<div class="notice bad" role="alert">${sentences.map((each) => html`<p>${each}</p>`)}</div>
<p>Nothing was changed.</p>
<div class="buttons"><a class="button primary" href="${call.link('/people/import')}">Choose another file</a>
${row.hasFile && isOwn(call, row) && form(call, { action: 'review-again', submit: 'Try again', tone: 'quiet', isInline: true })}</div>`
}

/** Undefined where nothing is applied: its rows are then those of its own import plan. */
function appliedOf(row: ImportRow): { planId: string; counts: ImportCounts } | undefined {
  if (row.name !== 'users.apply-import-plan' || !row.reply?.applied) return undefined
  return { planId: row.input.plan_id, counts: row.reply.counts }
}

function showApplied(call: ImportCall, counts: ImportCounts): Html {
  return html`<div class="notice good" role="status"><p><strong>Import applied.</strong> ${describeCounts(counts, true)}</p></div>
<div class="buttons"><a class="button primary" href="${call.link('/people')}">View people</a>
${counts.deactivate > 0 && html`<a class="button quiet" href="${call.link('/people/deactivated')}">Bookings and desks of deactivated people</a>`}</div>`
}

function showDecision(call: ImportCall, row: ImportRow, plan: ImportPlan | undefined): Html {
  if (row.appliedBy !== null)
    return html`<div class="notice good"><p>This import has already been submitted. <a href="${call.link(`/people/imports/${row.appliedBy}`)}">View the result</a></p></div>`
  if (!row.hasFile || !plan)
    return html`<div class="notice warn"><p>This import has expired. <a href="${call.link('/people/import')}">Upload the file again</a></p></div>`
  if (!isOwn(call, row))
    return html`<div class="notice warn"><p>Only ${row.actorName}, who uploaded the file, can apply this import.</p></div>`
  const { counts, header } = plan
  const ignored = describeIgnoredColumns(header)
  const hint = html`${ignored !== undefined && html`<p>${ignored}</p>`}${showDeactivation(row, plan)}`
  const what = describeChanges(counts)
  if (what === undefined)
    return html`<div class="card"><p><strong>Nothing to apply.</strong> ${describeCounts(counts, false)}</p>${hint}
<a class="button quiet" href="${call.link('/people/import')}">Choose another file</a></div>`
  const tone = counts.deactivate > 0 ? 'danger' : 'primary'
  return html`<div class="card"><p>${describeCounts(counts, false)}</p>${hint}
${counts.error > 0 && html`<p>Rows with errors are left out.</p>`}
${form(call, { action: 'apply', submit: what, tone, cancel: call.link('/people/import') })}</div>`
}

function showDeactivation({ input }: ImportRow, { counts, header }: ImportPlan): Html | false {
  if (!input.deactivate) return false
  const refused = describeRefusedDeactivation(counts, header)
  if (refused !== undefined)
    return html`<div class="notice warn"><p><strong>Nobody will be deactivated.</strong> ${refused}</p></div>`
  const kept = describeKept(counts)
  return kept !== undefined && html`<p>${kept}</p>`
}

const isOwn = (call: Call, row: ImportRow) => row.adminId === call.requireAdmin().id
