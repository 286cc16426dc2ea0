// The description of a list that can be imported. The import pages are built from it alone.
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
    /** Imports by the API, which the start page shows too. */
    others?: 'users.import'[]
  }
  start: {
    title: Sentence
    path: string
    params?: yup.AnySchema
    missing?: Message
    /** Where the rows belong: a part of the input. */
    scopeOf(params: { id: number }): Partial<Input>
    form: yup.AnySchema
    fields(fields: Fields, call: Call): Content
    /** Shown above the list of imports. */
    notice?(call: Call, rows: ImportRow[]): Promise<Content>
  }
  /** The page of an import is at this path followed by its id. */
  reviewPath: string
  startPath(scope: Partial<Input>): string
  /** The pages between the section and the start page; undefined if the scope no longer exists. */
  findAbove(call: Call, scope: Partial<Input>): Promise<Breadcrumbs | undefined>
  sections: readonly ImportPlanSection[]
  nothingNew: Sentence
  words: {
    lead(row: ImportRow<Input>, started: Html, above: Breadcrumbs | undefined): Content
    counts(counts: ImportCounts, isDone: boolean): string
    stale: Sentence
  }
  /** The links to follow after an import was applied. */
  showNext(call: Call, input: Input, counts: ImportCounts): Content
  /** The column of the list that each heading stands for. */
  columnsOf(header: string[]): Array<string | undefined>
  /** Asks what the columns of a file are whose headings are not known. */
  choosing?: ColumnChoice<Input>
  showHint?(input: Input, plan: ImportPlan): Content
  pathOf(row: ImportPlanRow): string | undefined
  fields: ShownFields
}

/** A request for the page of a plan. */
export type PlanCall = Call<
  unknown,
  {
    show?: ImportPlanSection | undefined
    page: number
    /** The position of the headings, while columns are chosen. */
    sheet?: number | undefined
    heading_row?: number | undefined
  }
>

export type ColumnChoice<Input extends ImportInput = ImportInput> = {
  form: yup.AnySchema
  /** The input of the import that reads the file as the form says. */
  inputOf(row: ImportRow<Input>, preview: FilePreview, form: object): Input
  show(call: PlanCall, preview: FilePreview, cancel: string): Promise<Html>
}

export type ShownFields = {
  /** In display order; a field that is missing here comes last, under its own name. */
  names: Record<string, Sentence>
  show(field: string, value: unknown): Content
  /** Errors name the field, not the heading in the file. */
  errorsNameFields?: true
}
