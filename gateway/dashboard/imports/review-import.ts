// The page of an import: its progress, its plan, the form that applies exactly this plan, and the result.
import type * as yup from 'yup'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { choice, object, pathUuid } from '../../../shared/schemas/fields.ts'
import type { ExportFormat } from '../../../shared/users/users.ts'
import { EXPORT_CONTENT_TYPES } from '../../http/export-answer.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { type Call, type Download, type Page, page } from '../kit/page.ts'
import { currentLanguage, sentence, t, translate } from '../locales/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { pageNumber } from '../ui/paging.ts'
import { askToApply, describeProgress, requireOwn, showFailure, showProgress, showWhyNot } from './frame.ts'
import type { ImportInput, ImportList } from './import-list.ts'
import { type PlanCall, showImportPlan } from './plan-sections.ts'
import { completeCounts, findImport, findImportPlan, type ImportPlan, type ImportRow } from './queries.ts'
import { stageOf } from './stages.ts'
import { sectionCrumb } from './start-import.ts'
import { describeIgnoredColumns } from './words.ts'

const missing = message`This import does not exist, or it is more than seven days old.`

export function reviewImport<Scope extends object, Params extends yup.AnySchema, Form extends yup.AnySchema>(
  list: ImportList<Scope, Params, Form>,
): Page {
  const { jobs, sections, reviewPath, words } = list
  type Row = ImportRow<ImportInput<Scope, Form>>

  async function requireImport(call: Call<{ id: string }>): Promise<Row> {
    const { primary, reads } = call.services
    const row = await findImport<Row['input']>(primary, jobs.names, call.params.id)
    if (!row) throw new Refusal('not_found', missing)
    // After this page shows that the import is done, other pages must show its changes too.
    await reads.noteWrite({ type: 'admin', id: call.requireAdmin().id })
    return row
  }

  async function requireOwnImport(call: Call<{ id: string }>): Promise<Row> {
    const row = await requireImport(call)
    requireOwn(call, row)
    return row
  }

  const errorRows = (call: Call<{ id: string }>, format: ExportFormat): Download => {
    const { params, now, services } = call
    const input = { plan_id: params.id, format, language: currentLanguage() }
    return {
      name: `rows-with-errors-${now.slice(0, 10)}.${format}`,
      contentType: EXPORT_CONTENT_TYPES[format],
      dispatch: (origin, options) => services.dispatcher.dispatch(jobs.errors, input, origin, options),
    }
  }

  return page({
    path: `${reviewPath}{id}`,
    title: sentence`Import`,
    section: list.section,
    params: object({ id: pathUuid() }),
    query: object({
      show: choice(sections, (name) => message`${name} must be one of ${sections.join(', ')}.`),
      page: pageNumber(),
    }),
    missing,
    actions: (action) => ({
      apply: action(object({}), async (call) => {
        const row = await requireOwnImport(call)
        // One job for each plan: sending the form twice, even from two windows, finds the same job.
        const { id } = await jobs.apply(call, { ...row.input, plan_id: row.id })
        return { redirectTo: call.link(reviewPath + id) }
      }),
      'review-again': action(object({}), async (call) => {
        const { id } = await jobs.plan(call, (await requireOwnImport(call)).input)
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
      const start: [string, string] = [translate(list.start.title), list.startPath(row.input)]
      return {
        title: row.input.filename,
        lead: html`${words.lead(row, started, above)}`,
        breadcrumbs: [sectionCrumb(list.section), ...(above ? [...above, start] : [])],
        content: await (stageOf(row) === 'waiting' ? showProgress(call) : showResult(list, call, row)),
      }
    },
  })
}

async function showResult<Scope extends object, Params extends yup.AnySchema, Form extends yup.AnySchema>(
  list: ImportList<Scope, Params, Form>,
  call: PlanCall,
  row: ImportRow<ImportInput<Scope, Form>>,
): Promise<Html> {
  const start = call.link(list.startPath(row.input))
  if (stageOf(row) === 'failed') return showFailure(call, row, start)
  // An import that was not applied shows the rows of its own plan.
  const applied = row.reply?.applied ? completeCounts(row.reply.counts) : undefined
  const planId = (applied && row.planId) ?? row.id
  const plan = await findImportPlan(call.services.primary, planId)
  const sections = plan
    ? await showImportPlan(list, call, { planId, counts: plan.counts, isApplied: applied !== undefined })
    : html`<p class="soft">${t`The rows of this import are no longer available.`}</p>`
  if (applied)
    return html`<div class="notice good" role="status"><p><strong>${t`Import applied.`}</strong> ${list.words.counts(applied, true)}</p></div>
<div class="buttons">${list.showNext(call, row.input, applied)}</div>${sections}`
  const stale = html`<div class="notice warn" role="status"><p><strong>${t`Nothing was changed.`}</strong> ${translate(list.words.stale)}</p></div>`
  return html`${stageOf(row) === 'stale' && stale}${showDecision(list, call, row, plan)}${sections}`
}

function showDecision<Scope extends object, Params extends yup.AnySchema, Form extends yup.AnySchema>(
  list: ImportList<Scope, Params, Form>,
  call: Call,
  row: ImportRow<ImportInput<Scope, Form>>,
  plan: ImportPlan | undefined,
): Content {
  const start = call.link(list.startPath(row.input))
  const whyNot = showWhyNot(call, row, { start, review: list.reviewPath, isKept: plan !== undefined })
  if (whyNot || !plan) return whyNot
  const { counts, header } = plan
  const ignored = describeIgnoredColumns(header, list.columnsOf(header))
  const hint = html`${ignored !== undefined && html`<p>${ignored}</p>`}${list.showHint?.(row.input, plan)}`
  return askToApply(call, start, { counts, told: list.words.counts(counts, false), hint })
}
