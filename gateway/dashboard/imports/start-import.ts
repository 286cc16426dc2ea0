// People: the first step of an import. The file is stored, and a job that changes nothing makes the import plan.
import { importFormSchema } from '../../../shared/contracts/users.ts'
import { type Html, html } from '../../http/html.ts'
import { deleteFiles } from '../../http/stored-files.ts'
import { type Call, page } from '../framework/page.ts'
import { showRelativeInstant } from '../time/instants.ts'
import type { Fields } from '../ui/fields.ts'
import { formCard } from '../ui/forms.ts'
import { type Column, table } from '../ui/tables.ts'
import { type ImportRow, isImporting, listImports } from './queries.ts'
import { showImportStatus } from './stages.ts'

const IMPORTS_SHOWN = 10

export const startImport = page({
  path: '/people/import',
  title: 'Import people',
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
      breadcrumbs: [['People', '/people']],
      lead: 'You first see what the import would change. Nothing changes until you apply it.',
      content: html`${formCard(
        call,
        { action: 'review', submit: 'Review', hasFile: true, cancel: call.link('/people') },
        importFields,
      )}
<section aria-labelledby="recent"><div class="head"><h2 id="recent">Recent imports</h2></div>${await call.live('imports')}</section>`,
    }
  },
})

function importFields(fields: Fields) {
  return [
    fields.file({
      name: 'file',
      label: 'Import file',
      required: true,
      accept: '.csv,.txt,.ods,.xls,.xlsx',
      hint: html`A csv, txt, ods, xls or xlsx file. Its first row with anything in it holds the column names: <code>email</code> is required;
<code>name</code>, <code>id</code>, <code>upn</code>, <code>groups</code>, <code>license_plates</code> and
<code>extensionAttribute1</code> to <code>extensionAttribute99</code> are optional. An exported file works too.`,
    }),
    fields.checkbox({
      name: 'update',
      label: 'Update existing people',
      hint: 'Otherwise only new people are added. Columns that the file does not have are left unchanged.',
    }),
    fields.checkbox({
      name: 'restore',
      label: 'Restore deactivated people who are in the file',
      hint: 'Otherwise they stay deactivated, and their rows are skipped.',
    }),
    fields.checkbox({
      name: 'deactivate',
      label: 'Deactivate people who are not in the file',
      hint: 'Only if the file lists everybody. While a row with errors matches nobody known, nobody is deactivated. Bookings of deactivated people stay until you release them.',
    }),
    fields.select({
      name: 'key_column',
      label: 'Match people by',
      required: true,
      hint: 'By ID or UPN, the file can change e-mail addresses. Rows without one are matched by e-mail.',
      options: [
        { value: 'email', label: 'E-mail' },
        { value: 'id', label: 'ID' },
        { value: 'upn', label: 'UPN' },
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
    html`<div class="notice warn"><p>Another import is running, started through the API. Yours starts when it is done.</p></div>`
  }${table('Imports', columns(call), rows, 'No imports in the last seven days.')}`
}

function columns(call: Call): Column<ImportRow>[] {
  return [
    {
      label: 'File',
      isHead: true,
      show: ({ id, name, input }) =>
        name !== 'users.import'
          ? html`<a href="${call.link(`/people/imports/${id}`)}">${input.filename}</a>`
          : input.filename || 'unnamed file',
    },
    {
      label: 'By',
      show: ({ adminId, actorName }) =>
        adminId === null ? html`${actorName} <span class="soft">(API)</span>` : actorName,
    },
    { label: 'Started', show: ({ createdAt }) => showRelativeInstant(createdAt, call.now) },
    {
      label: 'Status',
      show: showImportStatus,
    },
  ]
}
