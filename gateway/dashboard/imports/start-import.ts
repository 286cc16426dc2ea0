// People: the first step of an import. The file is stored, and a job that changes nothing makes the import plan.
import { importFormSchema } from '../../../shared/contracts/users.ts'
import { type Html, html } from '../../http/html.ts'
import { deleteFiles } from '../../http/stored-files.ts'
import { type Call, page } from '../framework/page.ts'
import { sentence, t, tHtml } from '../language/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import type { Fields } from '../ui/fields.ts'
import { formCard } from '../ui/forms.ts'
import { showLinkOrText } from '../ui/links.ts'
import { type Column, table } from '../ui/tables.ts'
import { type ImportRow, isImporting, listImports } from './queries.ts'
import { showImportStatus } from './stages.ts'

const IMPORTS_SHOWN = 10

export const startImport = page({
  path: '/people/import',
  title: sentence`Import people`,
  section: 'People',
  actions: (action) => ({
    review: action(
      importFormSchema.omit(['dry_run']),
      async (call) => {
        const { upload } = call
        if (!upload) throw new Error('The form has no file')
        const input = { ...call.form, file_id: upload.fileId, filename: upload.filename }
        const job = await call.accept('users.plan-import', input)
        // The first sending of this form has stored a file already.
        if (job.replayed) deleteFiles(call.services.primary, [upload.fileId])
        return { redirectTo: call.link(`/people/imports/${job.id}`) }
      },
      { takesFile: true },
    ),
  }),
  live: { imports: { everySeconds: 5, show: showRecentImports } },
  async show(call) {
    return {
      breadcrumbs: [[t`People`, '/people']],
      lead: t`You first see what the import would change. Nothing changes until you apply it.`,
      content: html`${formCard(
        call,
        { action: 'review', submit: t`Review`, hasFile: true, cancel: call.link('/people') },
        importFields,
      )}
<section aria-labelledby="recent"><div class="head"><h2 id="recent">${t`Recent imports`}</h2></div>${await call.live('imports')}</section>`,
    }
  },
})

const column = (name: string) => html`<code>${name}</code>`

function importFields(fields: Fields) {
  return [
    fields.file({
      name: 'file',
      label: t`Import file`,
      required: true,
      accept: '.csv,.txt,.ods,.xls,.xlsx',
      hint: tHtml`A csv, txt, ods, xls or xlsx file. Its first row with anything in it holds the column names: ${column('email')} is required; ${column('name')}, ${column('id')}, ${column('upn')}, ${column('groups')}, ${column('license_plates')} and ${column('extensionAttribute1')} to ${column('extensionAttribute99')} are optional. An exported file works too.`,
    }),
    fields.checkbox({
      name: 'update',
      label: t`Update existing people`,
      hint: t`Otherwise only new people are added. Columns that the file does not have are left unchanged.`,
    }),
    fields.checkbox({
      name: 'restore',
      label: t`Restore deactivated people who are in the file`,
      hint: t`Otherwise they stay deactivated, and their rows are skipped.`,
    }),
    fields.checkbox({
      name: 'deactivate',
      label: t`Deactivate people who are not in the file`,
      hint: t`Only if the file lists everybody. While a row with errors matches nobody known, nobody is deactivated. Bookings of deactivated people stay until you release them.`,
    }),
    fields.select({
      name: 'key_column',
      label: t`Match people by`,
      required: true,
      hint: t`By ID or UPN, the file can change e-mail addresses. Rows without one are matched by e-mail.`,
      options: [
        { value: 'email', label: t`E-mail` },
        { value: 'id', label: t`ID` },
        { value: 'upn', label: t`UPN` },
      ],
    }),
  ]
}

async function showRecentImports(call: Call): Promise<Html> {
  const { primary } = call.services
  const [rows, isRunning] = await Promise.all([listImports(primary, IMPORTS_SHOWN), isImporting(primary)])
  const isKnown = rows.some(({ state }) => state === 'running')
  return html`${
    isRunning &&
    !isKnown &&
    html`<div class="notice warn"><p>${t`Another import is running, started through the API. Yours starts when it is done.`}</p></div>`
  }${table(t`Imports`, columns(call), rows, t`No imports in the last seven days.`)}`
}

function columns(call: Call): Column<ImportRow>[] {
  return [
    {
      label: t`File`,
      isHead: true,
      show: ({ id, name, input }) =>
        name !== 'users.import'
          ? showLinkOrText(call.link(`/people/imports/${id}`), input.filename)
          : input.filename || t`unnamed file`,
    },
    {
      label: t`By`,
      show: ({ adminId, actorName }) =>
        adminId === null ? html`${actorName} <span class="soft">${t`(API)`}</span>` : actorName,
    },
    { label: t`Started`, show: ({ createdAt }) => showRelativeInstant(createdAt, call.now) },
    {
      label: t`Status`,
      show: showImportStatus,
    },
  ]
}
