// The import of people: the description of their list.

import { userColumns } from '../../../shared/imports/user-columns.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { importFormSchema } from '../../../shared/users/users.ts'
import { html } from '../../http/html.ts'
import type { ImportList } from '../imports/import-list.ts'
import { formatValue } from '../imports/plan-sections.ts'
import { isImporting } from '../imports/queries.ts'
import { reviewImport } from '../imports/review-import.ts'
import { showColumnName, startImport } from '../imports/start-import.ts'
import { sentence, t, tHtml } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'
import { showLink } from '../ui/links.ts'
import { describeCounts, describeOptions, showDeactivation } from './import-words.ts'

const people: ImportList<InputOf<'users.plan-import'>> = {
  section: 'People',
  jobs: {
    plan: 'users.plan-import',
    apply: 'users.apply-import-plan',
    errors: 'users.export-refused',
    others: ['users.import'],
  },
  start: {
    title: sentence`Import people`,
    path: '/people/import',
    scopeOf: () => ({}),
    form: importFormSchema.omit(['dry_run']),
    fields: importFields,
    async notice(call, rows) {
      if (rows.some(({ state }) => state === 'running') || !(await isImporting(call.services.primary))) return
      return html`<div class="notice warn"><p>${t`Another import is running, started through the API. Yours starts when it is done.`}</p></div>`
    },
  },
  reviewPath: '/people/imports/',
  startPath: () => '/people/import',
  findAbove: async () => [],
  sections: ['create', 'change', 'error', 'skip', 'deactivate'],
  nothingNew: sentence`No new people.`,
  words: {
    lead: ({ input, actorName }, started) =>
      html`${describeOptions(input)} ${tHtml`Started by ${actorName} ${started}.`}`,
    counts: describeCounts,
    stale: sentence`People have changed since your review, so the import would now do something else. Please review it again.`,
  },
  showNext: (
    call,
    _scope,
    { deactivate },
  ) => html`${showLink(call.link('/people'), t`View people`, { class: 'button primary' })}
${deactivate > 0 && showLink(call.link('/people/deactivated'), t`Bookings and desks of deactivated people`, { class: 'button quiet' })}`,
  columnsOf: userColumns,
  showHint: (input, { counts, header }) => input.deactivate && showDeactivation(counts, header),
  pathOf: ({ userId }) => (userId === null ? undefined : `/people/${userId}`),
  fields: {
    names: {
      name: sentence`Name`,
      email: sentence`E-mail`,
      active: sentence`Active`,
      groups: sentence`Groups`,
      license_plates: sentence`License plates`,
    },
    show: (_field, value) => formatValue(value),
  },
}

export const startUserImport = startImport(people)
export const reviewUserImport = reviewImport(people)

const column = showColumnName

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
