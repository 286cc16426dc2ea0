// Describes a kind of list that can be imported. The import pages are built from this description alone.
import type * as yup from 'yup'
import type { FilePreview } from '../../../../shared/imports/layouts.ts'
import type { Message } from '../../../../shared/messages/message.ts'
import type { ImportCounts } from '../../../../shared/users/users.ts'
import type { Content, Html } from '../../../html/html.ts'
import type { Sentence } from '../../locales/translate.ts'
import type { Breadcrumbs, Call } from '../../pages/page/page.ts'
import type { SectionName } from '../../pages/page/sections.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import type {
  ImportInput,
  ImportPlan,
  ImportPlanRow,
  ImportPlanSection,
  ImportRow,
  JobOf,
} from './queries.ts'

export type ImportList<Input extends ImportInput = ImportInput> = {
  section: SectionName
  jobs: {
    plan: JobOf<'plan-import'>
    apply: JobOf<'apply-import-plan'>
    errors: JobOf<'export-refused'>
    /** The names of import jobs from the API. The start page lists these imports too. */
    others?: 'users.import'[]
  }
  start: {
    title: Sentence
    path: string
    params?: yup.AnySchema
    missing?: Message
    /** Returns the part of the job's input that says to which place the rows belong. */
    scopeOf(params: { id: number }): Partial<Input>
    form: yup.AnySchema
    fields(fields: Fields, call: Call): Content
    /** A notice that is shown above the list of imports. */
    notice?(call: Call, rows: ImportRow[]): Promise<Content>
  }
  /** The path of an import's page, without the import's id at the end. */
  reviewPath: string
  startPath(scope: Partial<Input>): string
  /** Finds the breadcrumbs between the section and the start page; undefined if the scope no longer exists. */
  findAbove(call: Call, scope: Partial<Input>): Promise<Breadcrumbs | undefined>
  sections: readonly ImportPlanSection[]
  nothingNew: Sentence
  words: {
    lead(row: ImportRow<Input>, started: Html, above: Breadcrumbs | undefined): Content
    counts(counts: ImportCounts, isDone: boolean): string
    stale: Sentence
  }
  /** Shows the links to follow after an import has been applied. */
  showNext(call: Call, input: Input, counts: ImportCounts): Content
  /** Returns the column of the list for each heading of the file. */
  columnsOf(header: string[]): Array<string | undefined>
  /** What the page asks about the columns of a file whose headings are unknown. */
  choosing?: ColumnChoice<Input>
  showHint?(input: Input, plan: ImportPlan): Content
  pathOf(row: ImportPlanRow): string | undefined
  fields: PlanFields
}

/** A request for the page of a plan. */
export type PlanCall = Call<
  unknown,
  {
    show?: ImportPlanSection | undefined
    page: number
    /** The sheet and row of the headings that the user has chosen. */
    sheet?: number | undefined
    heading_row?: number | undefined
  }
>

export type ColumnChoice<Input extends ImportInput = ImportInput> = {
  form: yup.AnySchema
  /** Returns the input of an import that reads the file as the form says. */
  inputOf(row: ImportRow<Input>, preview: FilePreview, form: object): Input
  show(call: PlanCall, preview: FilePreview, cancel: string): Promise<Html>
}

export type PlanFields = {
  /** The labels of fields in display order. A field that is missing here comes last, under its own name. */
  names: Record<string, Sentence>
  show(field: string, value: unknown): Content
  /** Set if errors name the field instead of the heading in the file. */
  errorsNameFields?: true
}
