// The page of an import: its progress, its plan, the form that applies exactly this plan, and the result.

import { SHEETS_SHOWN } from '../../../../shared/imports/layouts.ts'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { choice, integer, object, pathUuid, queryNumber } from '../../../../shared/schemas/fields.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { currentLanguage, sentence, t, translate } from '../../locales/translate.ts'
import { startExport } from '../../pages/page/downloads.ts'
import { type Breadcrumbs, type Call, definePage, type Page } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { describeFailure } from '../../pages/ui/failure-page.ts'
import { form } from '../../pages/ui/forms.ts'
import { pageNumber } from '../../pages/ui/paging.ts'
import { formatNumber, showLink } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { PageFailure } from '../../sessions/failure.ts'
import type { ImportList, PlanCall } from './import-list.ts'
import { showImportPlan } from './plan-sections.ts'
import { completeCounts, findImport, findImportPlan, type ImportPlan, type ImportRow } from './queries.ts'
import { describeChanges, describeIgnoredColumns, describePhase, findImportStage } from './stages.ts'
import { createSectionBreadcrumb, listJobNames } from './start-import.ts'

const missing = message`This import does not exist, or it is more than seven days old.`

type ImportCall = Call<{ id: string }>

export function defineReviewPage(list: ImportList): Page {
  const { jobs, sections, reviewPath, words, start, choosing } = list

  async function requireImport(call: ImportCall): Promise<ImportRow> {
    const { primary, reads } = call.services
    const row = await findImport(primary, listJobNames(list), call.params.id)
    if (!row) throw new Refusal('not_found', missing)
    // Once this page has shown that the import is done, other pages must show the import's changes too.
    await reads.noteWrite({ type: 'admin', id: call.requireAdmin().id })
    return row
  }

  const errorRows = (call: ImportCall, format: ExportFormat) =>
    startExport(call, `rows-with-errors-${call.now.slice(0, 10)}`, jobs.errors, {
      plan_id: call.params.id,
      format,
      language: currentLanguage(),
    })

  return definePage({
    path: `${reviewPath}{id}`,
    title: sentence`Import`,
    section: list.section,
    params: object({ id: pathUuid() }),
    query: object({
      show: choice(sections, (name) => message`${name} must be one of ${sections.join(', ')}.`),
      page: pageNumber(),
      sheet: queryNumber(integer({ min: 0, max: SHEETS_SHOWN - 1 })),
      heading_row: queryNumber(integer({ min: 1, max: 1_048_576 })),
    }),
    missing,
    actions: (action) => ({
      ...(choosing && {
        columns: action(choosing.form, async (call) => {
          const row = requireOwnImport(call, await requireImport(call))
          const plan = await findImportPlan(call.services.primary, row.id)
          if (!plan?.preview) throw new Refusal('not_found', missing)
          const input = { ...choosing.inputOf(row, plan.preview, call.form as object), plan_id: row.id }
          const { id } = await call.accept(jobs.plan, input)
          return { redirectTo: call.link(reviewPath + id) }
        }),
      }),
      apply: action(object({}), async (call) => {
        const row = requireOwnImport(call, await requireImport(call))
        const input = { ...row.input, plan_id: row.id } as InputOf<typeof jobs.apply>
        // There is one job for each plan: if the form is sent twice, even from two windows, both find the same job.
        const { id } = await call.accept(jobs.apply, input, 'apply')
        return { redirectTo: call.link(reviewPath + id) }
      }),
      'review-again': action(object({}), async (call) => {
        const { input } = requireOwnImport(call, await requireImport(call))
        const { id } = await call.accept(jobs.plan, input)
        return { redirectTo: call.link(reviewPath + id) }
      }),
    }),
    live: {
      progress: { everySeconds: 1, show: async (call) => describeProgress(await requireImport(call)) },
    },
    downloads: { csv: (call) => errorRows(call, 'csv'), xlsx: (call) => errorRows(call, 'xlsx') },
    async show(call) {
      const row = await requireImport(call)
      const above = await list.findAbove(call, row.input)
      const started = showRelativeInstant(row.createdAt, call.now)
      const below: Breadcrumbs = above ? [...above, [translate(start.title), list.startPath(row.input)]] : []
      return {
        title: row.input.filename,
        lead: html`${words.lead(row, started, above)}`,
        breadcrumbs: [createSectionBreadcrumb(list.section), ...below],
        content: await (findImportStage(row) === 'waiting'
          ? showProgress(call)
          : showResult(list, call, row)),
      }
    },
  })
}

const isOwnImport = (call: Call, { adminId }: ImportRow) => adminId === call.requireAdmin().id

const describeOwner = ({ actorName }: ImportRow) =>
  t`Only ${actorName}, who uploaded the file, can apply this import.`

/** Only the administrator who uploaded the file may apply the import or review it again. */
function requireOwnImport(call: Call, row: ImportRow): ImportRow {
  if (!isOwnImport(call, row)) throw new PageFailure(403, t`Not your import`, describeOwner(row))
  // Applying deletes the file. If the form is sent again, the browser is redirected to the result.
  if (row.hasFile || row.appliedBy !== null) return row
  throw new PageFailure(
    409,
    t`Expired`,
    t`This import has expired: it was already applied, or its file was uploaded more than 24 hours ago. Upload the file again.`,
  )
}

async function showProgress(call: Call): Promise<Html> {
  return html`<div class="card narrow">${await call.live('progress')}
<p class="soft">${t`You can leave this page and come back later.`} ${showLink(call.linkHere(), t`Refresh`)}</p></div>`
}

function describeProgress(row: ImportRow): Html {
  if (row.finishedAt !== null) return html`<p data-reload><strong>${t`Done.`}</strong></p>`
  const rows = row.rowsRead === null ? '' : `${t`Rows read: ${formatNumber(row.rowsRead)}.`} `
  const meanwhile = row.name.endsWith('.plan-import')
    ? t`Nothing has been changed yet.`
    : t`Either all changes are applied or none.`
  return html`<p id="step"><strong>${describePhase(row)}</strong></p>
<progress max="100" value="${row.progress}" aria-labelledby="step">${row.progress} %</progress>
<p class="soft">${rows}${meanwhile}</p>`
}

async function showResult(list: ImportList, call: PlanCall, row: ImportRow): Promise<Html> {
  const start = call.link(list.startPath(row.input))
  const stage = findImportStage(row)
  if (stage === 'failed') return showFailure(list, call, row, start)
  // An import that was not applied shows the rows of its own plan.
  const applied = row.reply?.applied ? completeCounts(row.reply.counts) : undefined
  const planId = (applied && row.planId) ?? row.id
  const plan = await findImportPlan(call.services.primary, planId)
  if (stage === 'asking') return showColumnChoice(list, call, row, plan)
  const sections = plan
    ? await showImportPlan(list, call, { planId, counts: plan.counts, isApplied: applied !== undefined })
    : html`<p class="soft">${t`The rows of this import are no longer available.`}</p>`
  if (applied)
    return html`${showNotice('good', html`<strong>${t`Import applied.`}</strong> ${list.words.counts(applied, true)}`)}
<div class="buttons">${list.showNext(call, row.input, applied)}</div>${sections}`
  const stale = showNotice(
    'warn',
    html`<strong>${t`Nothing was changed.`}</strong> ${translate(list.words.stale)}`,
  )
  return html`${stage === 'stale' && stale}${showApplyForm(list, call, row, start, plan)}${sections}`
}

function showFailure(list: ImportList, call: Call, row: ImportRow, start: string): Html {
  const [first, ...others] = row.failure ? describeFailure(row.failure) : [t`The import failed.`]
  return html`${showNotice(
    'bad',
    first,
    others.map((each) => html`<p>${each}</p>`),
  )}
<p>${t`Nothing was changed.`}</p>
<div class="buttons">${showLink(start, t`Choose another file`, { class: 'button primary' })}
${row.hasFile && isOwnImport(call, row) && form(call, { action: 'review-again', submit: t`Try again`, tone: 'quiet', isInline: true })}
${showChoiceLink(list, call, row)}</div>`
}

function showColumnChoice(list: ImportList, call: PlanCall, row: ImportRow, plan: ImportPlan | undefined) {
  const start = call.link(list.startPath(row.input))
  if (!row.hasFile || !plan?.preview || !list.choosing) return showExpiredNotice(start)
  if (!isOwnImport(call, row)) return showNotice('warn', describeOwner(row))
  return list.choosing.show(call, plan.preview, start)
}

const showExpiredNotice = (start: string) =>
  showNotice('warn', html`${t`This import has expired.`} ${showLink(start, t`Upload the file again`)}`)

/** Links back to the choice of columns, if the file needed one. */
const showChoiceLink = (list: ImportList, call: Call, { name, planId }: ImportRow) =>
  name === list.jobs.plan &&
  planId !== null &&
  showLink(call.link(list.reviewPath + planId), t`Change columns`, { class: 'button quiet' })

/** Shows the form that applies the import, or the reason why the viewer cannot apply it. */
function showApplyForm(
  list: ImportList,
  call: Call,
  row: ImportRow,
  start: string,
  plan: ImportPlan | undefined,
): Html {
  if (row.appliedBy !== null)
    return showNotice(
      'good',
      html`${t`This import has already been submitted.`} ${showLink(call.link(list.reviewPath + row.appliedBy), t`View the result`)}`,
    )
  if (!row.hasFile || !plan) return showExpiredNotice(start)
  if (!isOwnImport(call, row)) return showNotice('warn', describeOwner(row))
  const { counts, header } = plan
  const ignored = describeIgnoredColumns(header, list.columnsOf(header))
  const hint = html`${ignored !== undefined && html`<p>${ignored}</p>`}${list.showHint?.(row.input, plan)}`
  const summary = list.words.counts(counts, false)
  const submit = describeChanges(counts)
  if (submit === undefined)
    return html`<div class="card"><p><strong>${t`Nothing to apply.`}</strong> ${summary}</p>${hint}
${showLink(start, t`Choose another file`, { class: 'button quiet' })} ${showChoiceLink(list, call, row)}</div>`
  const tone = counts.deactivate > 0 ? 'danger' : 'primary'
  const choiceLink = showChoiceLink(list, call, row)
  return html`<div class="card"><p>${summary}</p>${hint}
${counts.error > 0 && html`<p>${t`Rows with errors are left out.`}</p>`}
${form(call, { action: 'apply', submit, tone, cancel: start })}${choiceLink && html`<div class="buttons">${choiceLink}</div>`}</div>`
}
