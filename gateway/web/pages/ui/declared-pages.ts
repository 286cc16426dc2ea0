// Declares pages of common kinds: a list, a form, and the pages about one resource. All pages about a
// resource find the resource, link back to it, and respond with 404 if it does not exist.
import type * as yup from 'yup'
import type { Message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../../shared/schemas/fields.ts'
import { type Content, html } from '../../../html/html.ts'
import type { RowsWithTotal, Slice } from '../../../reads/rows/slices.ts'
import { type Sentence, t, translate } from '../../locales/translate.ts'
import { addReturnPath, backQuery } from '../page/back.ts'
import {
  type ActionCall,
  type ActionResult,
  type Breadcrumbs,
  type Call,
  definePage,
  type FormSchema,
  type NoFields,
  noFields,
  type Page,
  type PageRedirect,
  type PageSpec,
  type PageView,
} from '../page/page.ts'
import type { Fields } from './fields.ts'
import { type FormOptions, showFormCard } from './forms.ts'
import { createPageSlice, pageNumber, showPagedTable } from './paging.ts'
import type { Column } from './parts.ts'
import { type Order, type OrderKeys, parseSort, sortChoice } from './sorting.ts'
import { showPageTabs } from './tabs.ts'

type PageAudience = Pick<PageSpec<NoFields, NoFields>, 'path' | 'title' | 'section' | 'readers' | 'writers'>

type ListCall<Shape extends yup.ObjectShape> = Call<
  unknown,
  ReturnType<typeof object<Shape>>['__outputType'] & { page: number; sort?: string | undefined }
>

type PagedList<Row, Key extends string, Shape extends yup.ObjectShape> = {
  /** The query parameters of a search, besides the sort order and the page number. */
  query?: Shape
  /** The SQL of each sort key. Without sort keys, the list has a single order. */
  orders?: OrderKeys<Key>
  usual?: Key | `-${Key}`
  find(call: ListCall<Shape>, slice: Slice, order: Order<Key>): Promise<RowsWithTotal<Row>>
  columns(call: ListCall<Shape>): Column<Row>[] | Promise<Column<Row>[]>
  empty(call: ListCall<Shape>): Content
}

const ROWS_PER_PAGE = 50

/** The content that a list page shows around the list. */
type ListView = Omit<PageView, 'content'> & { above?: Content; below?: Content }

type ListPage<Row, Key extends string, Shape extends yup.ObjectShape> = PageAudience &
  Pick<PageSpec<NoFields, NoFields>, 'downloads'> &
  PagedList<Row, Key, Shape> & { view(call: ListCall<Shape>): ListView | Promise<ListView> }

export function defineListPage<
  Row,
  Key extends string = never,
  Shape extends yup.ObjectShape = yup.ObjectShape,
>({ view, orders, usual = '' as Key, ...spec }: ListPage<Row, Key, Shape>): Page {
  const sort = orders && { sort: sortChoice(orders) }
  return definePage({
    ...spec,
    query: object({ ...spec.query, ...sort, page: pageNumber() }),
    async show(from) {
      const call = from as unknown as ListCall<Shape>
      const order = parseSort(call.query.sort as Key | undefined, usual)
      const [{ above, below, ...shown }, columns, found] = await Promise.all([
        view(call),
        spec.columns(call),
        spec.find(call, createPageSlice(call.query.page, ROWS_PER_PAGE), order),
      ])
      const table = showPagedTable(call, {
        caption: translate(spec.title),
        columns,
        found,
        rowsPerPage: ROWS_PER_PAGE,
        page: call.query.page,
        ...(orders && { order }),
        empty: spec.empty(call),
      })
      return { ...shown, content: html`${above}${table}${below}` }
    },
  })
}

type FormPage<
  Found,
  Params extends FormSchema,
  Query extends FormSchema,
  Form extends FormSchema,
> = PageAudience & {
  query?: Query
  /** The name of the form's action. */
  action: string
  form?: Form
  /** Returns the heading. Defaults to the title of the page. */
  heading?(found: Found): string
  /** Returns a paragraph above the form. */
  intro?(found: Found, call: Call): Content
  fields?(fields: Fields, found: Found, call: Call): Content
  /** The label of the button. Defaults to the title of the page. */
  submit?: Sentence
  tone?: FormOptions['tone']
  /** The label of the link that leaves the form, if neither “Cancel” nor “Keep it” fits. */
  cancelLabel?: Sentence
  act(
    call: ActionCall<yup.InferType<Params>, yup.InferType<Query>, yup.InferType<Form>>,
  ): Promise<ActionResult>
}

type FormSource<Found, Params extends FormSchema> = {
  params?: Params
  missing?: Message
  /** Finds the initial values of the form. */
  find(call: Call<yup.InferType<Params>>): Promise<Found> | Found
  /** Returns the parent pages of the form. The link that leaves the form leads to the last one. */
  breadcrumbs(found: Found, call: Call<yup.InferType<Params>>): Breadcrumbs
}

/** Declares a page that is a form. If the tone is `danger`, the page asks for confirmation before something
 * irreversible. */
export function defineFormPage<
  Found,
  Params extends FormSchema = NoFields,
  Query extends FormSchema = NoFields,
  Form extends FormSchema = NoFields,
>(spec: FormSource<Found, Params> & FormPage<Found, Params, Query, Form>): Page {
  const { action, tone, heading, intro, fields, submit = spec.title } = spec
  const form = spec.form ?? (noFields as unknown as Form)
  return definePage<Params, Query>({
    ...spec,
    actions: (make) => ({ [action]: make(form, (call) => spec.act(call)) }),
    async show(call) {
      const found = await spec.find(call)
      const breadcrumbs = spec.breadcrumbs(found, call)
      const options = {
        action,
        tone,
        submit: translate(submit),
        cancel: call.link(breadcrumbs.at(-1)?.[1] ?? '/'),
        cancelLabel: spec.cancelLabel
          ? translate(spec.cancelLabel)
          : tone === 'danger'
            ? t`Keep it`
            : undefined,
      }
      const content = intro?.(found, call)
      return {
        title: heading?.(found),
        breadcrumbs,
        content: showFormCard(
          call,
          options,
          (own) => fields?.(own, found, call),
          content && html`<p>${content}</p>`,
        ),
      }
    },
  })
}

type WithId = { id: number }
const idParams = object({ id: pathId() })

type DeclaredResource<Found> = Omit<PageAudience, 'title'> & {
  missing: Message
  find(call: Call<WithId>): Promise<Found | undefined>
  /** Returns the parent pages of the resource's own page. */
  above(found: Found, call: Call<WithId>): Breadcrumbs
  /** Returns the label of the resource's own page, if it has one. */
  nameOf?(found: Found): string
  /** The resource's pages that are tabs: the path of each tab, relative to the resource's own page, and its label. */
  tabs?: ReadonlyArray<readonly [below: string, label: Sentence]>
}

// The query of a resource's pages. It lets their links and forms lead back to the search that the user came
// from.
const returningQuery = object(backQuery)
type BackQuery = typeof returningQuery

type ResourcePage<Found, Query extends FormSchema> = Omit<
  PageSpec<typeof idParams, Query>,
  'path' | 'section' | 'params' | 'missing' | 'show'
> & {
  /** The part of the path that follows the path of the resource's own page. */
  path?: string
  show(call: Call<WithId, yup.InferType<Query>>, found: Found): Promise<PageView | PageRedirect> | PageView
}

/**
 * Declares a resource's own page (`page`), and forms at paths below it (`form`), whose `breadcrumbs` name the resource.
 */
export function defineResourcePages<Found>(declared: DeclaredResource<Found>) {
  const { path, above, nameOf, tabs = [] } = declared
  const shared = { ...declared, params: idParams }
  /** Returns the address of the resource's own page, or of a page below it. */
  const address = (call: Call<WithId>, below = '') =>
    call.link(addReturnPath(call, path.replace('{id}', String(call.params.id)) + below))
  async function require(call: Call<WithId>): Promise<Found> {
    const found = await declared.find(call)
    if (found === undefined) throw new Refusal('not_found', declared.missing)
    return found
  }
  function breadcrumbs(found: Found, call: Call<WithId>): Breadcrumbs {
    const own = addReturnPath(call, path.replace('{id}', String(call.params.id)))
    return nameOf ? [...above(found, call), [nameOf(found), own]] : above(found, call)
  }
  return {
    require,
    breadcrumbs,
    address,
    page: <Query extends FormSchema = BackQuery>(spec: ResourcePage<Found, Query>): Page =>
      definePage<typeof idParams, Query>({
        ...shared,
        query: returningQuery as unknown as Query,
        ...spec,
        path: path + (spec.path ?? ''),
        async show(call) {
          const found = await require(call)
          const view = await spec.show(call, found)
          if ('redirectTo' in view) return view
          const current = spec.path ?? ''
          if (!tabs.some(([below]) => below === current))
            return { breadcrumbs: (spec.path ? breadcrumbs : above)(found, call), ...view }
          const title = nameOf?.(found) ?? ''
          const items = tabs.map(([below, label]) => {
            return { label: translate(label), address: address(call, below), isCurrent: below === current }
          })
          const content = html`${showPageTabs(title, items)}${view.content}`
          return { title, breadcrumbs: above(found, call), ...view, content }
        },
      }),
    /** Declares a form. Its `find` may add data to what the form is about. */
    form: <
      Query extends FormSchema = BackQuery,
      Form extends FormSchema = NoFields,
      Filled extends Found = Found,
    >(
      spec: FormPage<Filled, typeof idParams, Query, Form> & Partial<FormSource<Filled, typeof idParams>>,
    ): Page => {
      const find = require as (call: Call<WithId>) => Promise<Filled>
      const query = returningQuery as unknown as Query
      return defineFormPage({ ...shared, find, breadcrumbs, query, ...spec, path: path + spec.path })
    },
  }
}
