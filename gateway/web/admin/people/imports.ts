// The import of people: the description of their list, and sentences about what the import will do and has done.

import {
  findUserColumns,
  getTextField,
  isReasonsColumn,
  mapTextFields,
  OPTIONAL_TEXTS,
} from '../../../../shared/imports/user-columns.ts'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { type ImportCounts, importFormSchema } from '../../../../shared/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { formatList, formatNumber, showLink } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import type { ImportList } from '../imports/import-list.ts'
import { formatValue } from '../imports/plan-sections.ts'
import { isImportRunning } from '../imports/queries.ts'
import { defineReviewPage } from '../imports/review-import.ts'
import { defineStartPage, showColumnName } from '../imports/start-import.ts'
import { userColumnChoice } from './choose-columns.ts'

const peopleImportList: ImportList<InputOf<'users.plan-import'>> = {
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
    fields: showImportFields,
    async notice(call, rows) {
      if (rows.some(({ state }) => state === 'running') || !(await isImportRunning(call.services.primary)))
        return
      return showNotice(
        'warn',
        t`Another import is running, started through the API. Yours starts when it is done.`,
      )
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
    stale: sentence`People have changed since your review, so the import would now have a different result. Please review it again.`,
  },
  showNext: (
    call,
    _scope,
    { deactivate },
  ) => html`${showLink(call.link('/people'), t`View people`, { class: 'button primary' })}
${deactivate > 0 && showLink(call.link('/people/deactivated'), t`Bookings and desks of deactivated people`, { class: 'button quiet' })}`,
  columnsOf: findUserColumns,
  choosing: userColumnChoice,
  showHint: (input, { counts, header }) => input.deactivate && showDeactivation(counts, header),
  pathOf: ({ userId }) => (userId === null ? undefined : `/people/${userId}`),
  fields: {
    names: {
      name: sentence`Name`,
      email: sentence`E-mail`,
      ...mapTextFields(OPTIONAL_TEXTS, (name) => getTextField(name).label.text as Sentence),
      active: sentence`Active`,
      groups: sentence`Groups`,
      license_plates: sentence`License plates`,
    },
    show: (_field, value) => formatValue(value),
  },
}

export const startUserImport = defineStartPage(peopleImportList)
export const reviewUserImport = defineReviewPage(peopleImportList)

const showColumn = showColumnName

function showImportFields(fields: Fields) {
  const optional = ['name', 'id', ...OPTIONAL_TEXTS, 'groups', 'license_plates']
    .map(showColumn)
    .flatMap((each, index) => (index === 0 ? [each] : [', ', each]))
  return [
    fields.file('file', t`Import file`, {
      required: true,
      accept: '.csv,.txt,.ods,.xls,.xlsx',
      hint: tHtml`A csv, txt, ods, xls or xlsx file. The first row that is not empty must contain the column names: ${showColumn('email')} is required; ${optional} and ${showColumn('extensionAttribute1')} to ${showColumn('extensionAttribute99')} are optional. An exported file works too.`,
    }),
    fields.checkbox('update', t`Update existing people`, {
      hint: t`Otherwise only new people are added. Columns that the file does not have are left unchanged.`,
    }),
    fields.checkbox('restore', t`Restore deactivated people who are in the file`, {
      hint: t`Otherwise they stay deactivated, and their rows are skipped.`,
    }),
    fields.checkbox('deactivate', t`Deactivate people who are not in the file`, {
      hint: t`Choose this only if the file lists everybody. If a row with errors matches no known person, nobody is deactivated. Bookings of deactivated people stay until you release them.`,
    }),
    fields.select('key_column', t`Match people by`, {
      required: true,
      hint: t`If you match by ID or UPN, the file can change e-mail addresses. Rows without an ID or UPN are matched by e-mail.`,
      options: [
        { value: 'email', label: t`E-mail` },
        { value: 'id', label: t`ID` },
        { value: 'upn', label: t`Sign-in name (UPN)` },
      ],
    }),
  ]
}

type ImportOptions = Pick<InputOf<'users.import'>, 'update' | 'restore' | 'deactivate' | 'key_column'>

const KEY_COLUMN_SENTENCES: Record<ImportOptions['key_column'], Sentence> = {
  email: sentence`People are matched by e-mail.`,
  id: sentence`People are matched by ID.`,
  upn: sentence`People are matched by UPN.`,
}

function describeOptions({ update, restore, deactivate, key_column: key }: ImportOptions): string {
  const asked = [
    t`adds new people`,
    ...(update ? [t`updates existing ones`] : []),
    ...(restore ? [t`restores deactivated ones`] : []),
    ...(deactivate ? [t`deactivates people who are not in the file`] : []),
  ]
  return `${t`This import ${formatList(asked)}.`} ${translate(KEY_COLUMN_SENTENCES[key])}`
}

function describeCounts(counts: ImportCounts, isDone: boolean): string {
  const sentences = [
    describePeople(counts, isDone),
    [
      ...(counts.skip > 0 ? [plural(counts.skip, '# row skipped', '# rows skipped')] : []),
      ...(counts.error > 0 ? [plural(counts.error, '# row with errors', '# rows with errors')] : []),
    ].join(', '),
  ]
  return sentences
    .filter(Boolean)
    .map((each) => `${each}.`)
    .join(' ')
}

function showDeactivation(counts: ImportCounts, header: string[]): Html | false {
  const refused = describeRefusedDeactivation(counts, header)
  if (refused !== undefined)
    return showNotice('warn', html`<strong>${t`Nobody will be deactivated.`}</strong> ${refused}`)
  const kept = describeKeptPeople(counts)
  return kept !== undefined && html`<p>${kept}</p>`
}

/** Says why nobody is deactivated, although the administrator chose to deactivate people. */
function describeRefusedDeactivation({ unmatched }: ImportCounts, header: string[]): string | undefined {
  const reasons = header.find(isReasonsColumn)
  if (reasons !== undefined)
    return t`The file has the column “${reasons.trim()}”, so it contains only rows that another import refused. To deactivate people, import the whole list without this column.`
  if (unmatched === 0) return undefined
  return plural(
    unmatched,
    '# row with errors matches no known person and could belong to anyone. Fix this row first, then import the whole list again.',
    '# rows with errors match no known person and could belong to anyone. Fix these rows first, then import the whole list again.',
  )
}

/** Says how many people have only refused rows. Such rows change nothing, but they prevent the deactivation
 * of these people. */
function describeKeptPeople({ kept }: ImportCounts): string | undefined {
  if (kept === 0) return undefined
  return plural(
    kept,
    '# person appears only in a row with errors and is not deactivated.',
    '# people appear only in rows with errors and are not deactivated.',
  )
}

type ChangeSentences = {
  ahead(count: number): string
  done(count: number): string
  also(count: number): string
}

const COUNTED_CHANGES = ['create', 'change', 'deactivate'] as const
const CHANGE_SENTENCES: Record<(typeof COUNTED_CHANGES)[number], ChangeSentences> = {
  create: {
    ahead: (count) => plural(count, '# person will be added', '# people will be added'),
    done: (count) => plural(count, '# person was added', '# people were added'),
    also: (count) => t`${formatNumber(count)} added`,
  },
  change: {
    ahead: (count) => plural(count, '# person will be changed', '# people will be changed'),
    done: (count) => plural(count, '# person was changed', '# people were changed'),
    also: (count) => t`${formatNumber(count)} changed`,
  },
  deactivate: {
    ahead: (count) => plural(count, '# person will be deactivated', '# people will be deactivated'),
    done: (count) => plural(count, '# person was deactivated', '# people were deactivated'),
    also: (count) => t`${formatNumber(count)} deactivated`,
  },
}

/** Returns a sentence such as “2 people will be added, 1 changed and 3 deactivated”. */
function describePeople(counts: ImportCounts, isDone: boolean): string {
  const parts = COUNTED_CHANGES.filter((each) => counts[each] > 0).map((each, index) => {
    const { ahead, done, also } = CHANGE_SENTENCES[each]
    const tell = index > 0 ? also : isDone ? done : ahead
    return tell(counts[each])
  })
  return formatList(parts)
}
