// The first step of an import: stores the file, and starts a job that makes the plan and changes nothing.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { type Html, html } from '../../../html/html.ts'
import { deleteFiles } from '../../../server/uploads/stored-files.ts'
import { t, translate } from '../../locales/translate.ts'
import { type Breadcrumbs, type Call, definePage, type Page } from '../../pages/page/page.ts'
import { SECTIONS, type SectionName } from '../../pages/page/sections.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { showFormCard } from '../../pages/ui/forms.ts'
import { type Column, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import type { ImportList } from './import-list.ts'
import { type ImportInput, type ImportRow, listImports } from './queries.ts'
import { showImportStatus } from './stages.ts'

const SHOWN_IMPORTS_MAX = 10
const PAGE_NOT_FOUND = message`There is no such page.`

export const listJobNames = ({ jobs }: ImportList) => [...(jobs.others ?? []), jobs.plan, jobs.apply]

export function defineStartPage(list: ImportList): Page {
  const { section, reviewPath } = list
  const { title, path, params, missing = PAGE_NOT_FOUND, scopeOf, form, fields, notice } = list.start

  async function requireAbove(call: Call, scope: Partial<ImportInput>): Promise<Breadcrumbs> {
    const above = await list.findAbove(call, scope)
    if (!above) throw new Refusal('not_found', missing)
    return [createSectionBreadcrumb(section), ...above]
  }

  return definePage({
    path,
    title,
    section,
    params,
    missing,
    actions: (action) => ({
      review: action(
        form,
        async (call) => {
          const { upload } = call
          if (!upload) throw new Error('The form has no file')
          const scope = scopeOf(call.params)
          await requireAbove(call, scope)
          const file = { file_id: upload.fileId, filename: upload.filename }
          const job = await call.accept(list.jobs.plan, { ...scope, ...call.form, ...file } as ImportInput)
          // If the form was sent before, its file is already stored, so this copy is deleted.
          if (job.replayed) deleteFiles(call.services.primary, [upload.fileId])
          return { redirectTo: call.link(reviewPath + job.id) }
        },
        { takesFile: true },
      ),
    }),
    live: {
      imports: {
        everySeconds: 5,
        async show(call) {
          const scope = scopeOf(call.params)
          const rows = await listImports(call.services.primary, listJobNames(list), scope, SHOWN_IMPORTS_MAX)
          return html`${await notice?.(call, rows)}${showTable(t`Imports`, createColumns(call, reviewPath), rows, t`No imports in the last seven days.`)}`
        },
      },
    },
    async show(call) {
      const breadcrumbs = await requireAbove(call, scopeOf(call.params))
      const cancel = call.link(breadcrumbs.at(-1)?.[1] ?? '/')
      return {
        breadcrumbs,
        lead: t`You first see what the import would change. Nothing is changed until you apply it.`,
        content: html`${showFormCard(call, { action: 'review', submit: t`Review`, hasFile: true, cancel }, (inputs) => fields(inputs, call))}
<section aria-labelledby="recent"><div class="head"><h2 id="recent">${t`Recent imports`}</h2></div>${await call.live('imports')}</section>`,
      }
    },
  })
}

export function createSectionBreadcrumb(name: SectionName): Breadcrumbs[number] {
  const { label, path } = SECTIONS.find((each) => each.name === name) ?? SECTIONS[0]
  return [translate(label), path]
}

export const showColumnName = (name: string): Html => html`<code>${name}</code>`

const createColumns = (call: Call, reviewPath: string): Column<ImportRow>[] => [
  {
    label: t`File`,
    show: ({ id, name, input }) =>
      name !== 'users.import'
        ? showLinkOrText(call.link(reviewPath + id), input.filename)
        : input.filename || t`unnamed file`,
  },
  {
    label: t`By`,
    show: ({ adminId, actorName }) =>
      adminId === null ? html`${actorName} <span class="soft">${t`(API)`}</span>` : actorName,
  },
  { label: t`Started`, show: ({ createdAt }) => showRelativeInstant(createdAt, call.now) },
  { label: t`Status`, show: showImportStatus },
]
