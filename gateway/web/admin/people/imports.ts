// The import of people: the description of their list, and sentences about what it will do and what it did.

import {
  eachText,
  isReasonsColumn,
  OPTIONAL_TEXTS,
  userColumns,
  userText,
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
import { isImporting } from '../imports/queries.ts'
import { reviewImport } from '../imports/review-import.ts'
import { showColumnName, startImport } from '../imports/start-import.ts'
import { columnChoice } from './choose-columns.ts'

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
    stale: sentence`People have changed since your review, so the import would now do something else. Please review it again.`,
  },
  showNext: (
    call,
    _scope,
    { deactivate },
  ) => html`${showLink(call.link('/people'), t`View people`, { class: 'button primary' })}
${deactivate > 0 && showLink(call.link('/people/deactivated'), t`Bookings and desks of deactivated people`, { class: 'button quiet' })}`,
  columnsOf: userColumns,
  choosing: columnChoice,
  showHint: (input, { counts, header }) => input.deactivate && showDeactivation(counts, header),
  pathOf: ({ userId }) => (userId === null ? undefined : `/people/${userId}`),
  fields: {
    names: {
      name: sentence`Name`,
      email: sentence`E-mail`,
      ...eachText(OPTIONAL_TEXTS, (name) => userText(name).label.text as Sentence),
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
  const optional = ['name', 'id', ...OPTIONAL_TEXTS, 'groups', 'license_plates']
    .map(column)
    .flatMap((each, index) => (index === 0 ? [each] : [', ', each]))
  return [
    fields.file('file', t`Import file`, {
      required: true,
      accept: '.csv,.txt,.ods,.xls,.xlsx',
      hint: tHtml`A csv, txt, ods, xls or xlsx file. Its first row with anything in it holds the column names: ${column('email')} is required; ${optional} and ${column('extensionAttribute1')} to ${column('extensionAttribute99')} are optional. An exported file works too.`,
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

type Options = Pick<InputOf<'users.import'>, 'update' | 'restore' | 'deactivate' | 'key_column'>

const MATCHED_BY: Record<Options['key_column'], Sentence> = {
  email: sentence`People are matched by e-mail.`,
  id: sentence`People are matched by ID.`,
  upn: sentence`People are matched by UPN.`,
}

function describeOptions({ update, restore, deactivate, key_column: key }: Options): string {
  const asked = [
    t`adds new people`,
    ...(update ? [t`updates existing ones`] : []),
    ...(restore ? [t`restores deactivated ones`] : []),
    ...(deactivate ? [t`deactivates people who are not in the file`] : []),
  ]
  return `${t`This import ${formatList(asked)}.`} ${translate(MATCHED_BY[key])}`
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
  const kept = describeKept(counts)
  return kept !== undefined && html`<p>${kept}</p>`
}

/** The reason why nobody is deactivated, although the administrator chose to. */
function describeRefusedDeactivation({ unmatched }: ImportCounts, header: string[]): string | undefined {
  const reasons = header.find(isReasonsColumn)
  if (reasons !== undefined)
    return t`The file has the column “${reasons.trim()}”, so it contains only rows that another import refused. To deactivate people, import the whole list without this column.`
  if (unmatched === 0) return undefined
  return plural(
    unmatched,
    '# row with errors matches no known person, and could be anybody’s. Fix this row first, and import the whole list again.',
    '# rows with errors match no known person, and could be anybody’s. Fix these rows first, and import the whole list again.',
  )
}

/** People whose only rows are refused: the rows change nothing, but keep them from being deactivated. */
function describeKept({ kept }: ImportCounts): string | undefined {
  if (kept === 0) return undefined
  return plural(
    kept,
    '# person is only in a row with errors, and is not deactivated.',
    '# people are only in rows with errors, and are not deactivated.',
  )
}

type ChangeSentences = {
  ahead(count: number): string
  done(count: number): string
  also(count: number): string
}

const CHANGES = ['create', 'change', 'deactivate'] as const
const CHANGE_SENTENCES: Record<(typeof CHANGES)[number], ChangeSentences> = {
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

/** “2 people will be added, 1 changed and 3 deactivated”. */
function describePeople(counts: ImportCounts, isDone: boolean): string {
  const parts = CHANGES.filter((each) => counts[each] > 0).map((each, index) => {
    const { ahead, done, also } = CHANGE_SENTENCES[each]
    const tell = index > 0 ? also : isDone ? done : ahead
    return tell(counts[each])
  })
  return formatList(parts)
}
