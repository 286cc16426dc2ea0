// People: the first step of an import. The file is stored, and looked at by a job that changes nothing.
import { importFormSchema } from '../../../shared/contracts/users.ts'
import { type Html, html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { showRelativeInstant } from '../time/instants.ts'
import type { Fields } from '../ui/fields.ts'
import { form } from '../ui/forms.ts'
import { type Column, table } from '../ui/tables.ts'
import { type ImportRow, isImporting, listImports } from './queries.ts'
import { stateOf } from './states.ts'

const SHOWN = 10

export const importPeople = page({
  path: '/people/import',
  title: 'Import people',
  section: 'People',
  actions: (action) => ({
    look: action(
      importFormSchema.omit(['dry_run']),
      async (call) => {
        const { upload } = call
        if (!upload) throw new Error('The form has no file')
        const input = { ...call.form, file_id: upload.fileId, filename: upload.filename }
        const job = await call.accept('users.plan-import', input)
        // The first sending of this form has stored a file already.
        if (job.replayed)
          call.services.primary
            .query('DELETE FROM files WHERE id = $1', [upload.fileId])
            .catch(() => undefined)
        return { redirectTo: call.link(`/people/imports/${job.id}`) }
      },
      { takesFile: true },
    ),
  }),
  live: { imports: { everySeconds: 5, show: imports } },
  async show(call) {
    return {
      breadcrumbs: [['People', '/people']],
      lead: 'First you see what the list would do. Nothing is changed until you apply it.',
      content: html`<div class="card narrow">${form(
        call,
        { action: 'look', submit: 'Look at the list', hasFile: true, cancel: call.link('/people') },
        choices,
      )}</div>
<section aria-labelledby="lately"><div class="head"><h2 id="lately">Imports</h2></div>${await call.live('imports')}</section>`,
    }
  },
})

function choices(fields: Fields) {
  return [
    fields.file({
      name: 'file',
      label: 'List',
      required: true,
      accept: '.csv,.txt,.ods,.xls,.xlsx',
      hint: html`csv, txt, ods, xls or xlsx. The first row names the columns: <code>email</code> at least;
<code>name</code>, <code>id</code>, <code>upn</code>, <code>groups</code>, <code>license_plates</code> and
<code>extensionAttribute1</code> to <code>99</code> where you have them. An export is such a list.`,
    }),
    fields.checkbox({
      name: 'update',
      label: 'Update people who are there already',
      hint: 'Without it the list adds new people only. A column that the list does not have is left alone.',
    }),
    fields.checkbox({
      name: 'restore',
      label: 'Restore deactivated people who are in the list',
      hint: 'Without it they stay deactivated, and their rows are skipped.',
    }),
    fields.checkbox({
      name: 'deactivate',
      label: 'Deactivate people who are not in the list',
      hint: 'For a list of everybody. Bookings of whoever is deactivated stay until you release them.',
    }),
    fields.select({
      name: 'key_column',
      label: 'People are recognised by',
      required: true,
      hint: 'By id or UPN the list can change an e-mail. A row without one is recognised by its e-mail.',
      options: [
        { value: 'email', label: 'E-mail' },
        { value: 'id', label: 'Id' },
        { value: 'upn', label: 'UPN' },
      ],
    }),
  ]
}

async function imports(call: Call): Promise<Html> {
  const { primary } = call.services
  const [rows, isRunning] = await Promise.all([listImports(primary, SHOWN), isImporting(primary)])
  const isKnown = rows.some(({ state }) => state === 'running')
  return html`${
    isRunning &&
    !isKnown &&
    html`<div class="notice warn"><p>Another program imports a list at this moment. Yours waits until it is done.</p></div>`
  }${table('Imports', columns(call), rows, 'No list was imported in the last seven days.')}`
}

function columns(call: Call): Column<ImportRow>[] {
  return [
    {
      label: 'File',
      isHead: true,
      show: ({ id, name, input }) =>
        name !== 'users.import'
          ? html`<a href="${call.link(`/people/imports/${id}`)}">${input.filename}</a>`
          : input.filename || 'without a name',
    },
    {
      label: 'By',
      show: ({ actor }) =>
        actor.type === 'token' ? html`${actor.name} <span class="soft">(API)</span>` : actor.name,
    },
    { label: 'Begun', show: ({ createdAt }) => showRelativeInstant(createdAt, call.now) },
    {
      label: 'State',
      show: (row) => {
        const { words, tone } = stateOf(row)
        return html`<span class="badge ${tone}">${words}</span>`
      },
    },
  ]
}
