// Defines pages of the dashboard and their actions. Each page is declared once, and dashboard.ts does the
// rest: signing in, form tokens, invalid fields and notices.
import type pg from 'pg'
import type * as yup from 'yup'
import type { Role } from '../../../../shared/administrators/roles.ts'
import type { AcceptedJobName, InputOf, JobName, Outcome, ReplyOf } from '../../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../../shared/messages/message.ts'
import type { FieldErrors, RefusalCode } from '../../../../shared/messages/refusal.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import type { FileReply } from '../../../../shared/users/users.ts'
import { Html } from '../../../html/html.ts'
import type { AttemptOrigin, DispatchOptions } from '../../../queue/dispatch.ts'
import type { Upload } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import type { Sentence } from '../../locales/translate.ts'
import type { IdentityProvider, SignInAttempt } from '../../sessions/provider.ts'
import type { Device, SignedInAdmin, SignedInPerson, Viewer } from '../../sessions/sessions.ts'
import type { SignIns } from '../../sessions/sign-ins.ts'
import type { LiveContent } from './live-parts.ts'
import type { MySectionName } from './my-sections.ts'
import type { Notice } from './notices.ts'
import type { RefusedQuery } from './refused-query.ts'
import type { SectionName } from './sections.ts'

export type FormSchema = yup.AnySchema
export const noFields = object({})
export type NoFields = typeof noFields

/** A form that was submitted and refused. The page shows the form again, with the values that the user typed
 * and what is wrong with them. */
export type RefusedForm = {
  action: string
  key: string
  code: RefusalCode
  values: Record<string, string[]>
  errors: FieldErrors
  detail: Message
  /** The form's submission id again if the outcome is unknown, so that sending the form twice acts at most once. */
  submissionId: string | undefined
  /** Whether a form of the page shows the refusal. The page of a stale tab may no longer have this form. */
  isShown: boolean
  /** Whether the page explains the refusal elsewhere, so that the form does not repeat it. */
  isExplained?: boolean
}

/** A request for a page, as passed to the page's functions. */
export type Call<Params = unknown, Query = unknown> = {
  params: Params
  query: Query
  /** Returns the signed-in administrator. Pages that are open to everybody must not call this function. */
  requireAdmin(): SignedInAdmin
  /** Returns the person who has signed in to their own pages. */
  requirePerson(): SignedInPerson
  /** Whether the viewer may use the page's actions. If not, forms are shown as plain text. */
  mayWrite: boolean
  viewer: Viewer
  device: Device
  now: string
  baseUrl: string
  requestId: string
  services: Services
  signIns: SignIns
  /** The identity provider; undefined without single sign-on. */
  provider: IdentityProvider | undefined
  /** The pool from which the page reads, on a server that has this viewer's latest changes. */
  reads: pg.Pool
  /** The path at which the pages are mounted: /dashboard or /my. */
  base: string
  /** Returns the address of a page. `path` is relative to where the pages are mounted. */
  link(path: string, query?: Record<string, string | number | undefined | null>): string
  /** Returns the address of this page with other query parameters. */
  linkHere(changes?: Record<string, string | number | undefined | null>): string
  /** Shows a part of this page that stays up to date. */
  live(name: string): Promise<Html>
  /**
   * Returns the attributes that make an element a live part, in which only the elements marked `data-slot` are updated.
   */
  liveAttributes(name: string): Html
  /** Returns the address of a download of this page. */
  download(name: string): string
  refusedForm: RefusedForm | undefined
  /** Returns the schema of an action's form. */
  formOf(action: string): FormSchema | undefined
  /** The invalid query parameters, which are not in `query`. */
  refusedQuery: RefusedQuery | undefined
}

export type ActionCall<Params = unknown, Query = unknown, Form = unknown> = Call<Params, Query> & {
  form: Form
  upload: Upload | undefined
  /** The version of the resource with which the form was filled; undefined if the form has no version. */
  version: string | undefined
  /** Derives a secret that only this form can derive. Sending the form again derives the same secret. */
  deriveSecret(purpose: string): Buffer
  /** Sends a write to the workers. Returns the workers' reply, or throws their refusal. */
  dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    options?: DispatchOptions,
  ): Promise<ReplyOf<Name>>
  /** Returns the attempt of the last write that was done, or undefined before the first one. */
  lastAttempt(): string | undefined
  /** Makes the notice's undo button also undo these writes of the action. */
  undoTogether(attempts: string[]): void
  /** Queues long work without waiting for its result. Two calls with the same key create only one job. */
  accept<Name extends AcceptedJobName>(
    name: Name,
    input: InputOf<Name>,
    key?: string,
  ): Promise<{ id: string; replayed: boolean }>
  /** Signs this browser in with the session of this secret. Without a secret, signs the browser out. */
  setSession(secret: string | undefined): void
  /** Returns the page that the user requested before they had to sign in, or else the start page. */
  takeNext(): string
  /** Stores this sign-in attempt, so that the browser can return with a response from the identity provider. */
  storeAttempt(attempt: SignInAttempt): void
  /** Marks the browser, so that failed sign-in attempts in other browsers do not prevent this browser from
   * signing in. */
  rememberBrowser(account: { id: number; passwordHash: string }): void
}

/** The parent pages of a page, as label and path. */
export type Breadcrumbs = Array<[label: string, path: string]>

/** The content that a page shows. The title defaults to the title in the page's declaration. */
export type PageView = {
  title?: string
  lead?: Html | string
  /** Links and buttons next to the title. */
  tools?: Html | null
  breadcrumbs?: Breadcrumbs
  /** Whether the page itself shows what is down and keeps that up to date, so that the layout does not have to. */
  showsSystemStatus?: true
  /** A large script that only this page needs (browser/). */
  script?: 'arrange-floor-plan' | 'timeline' | 'try-it'
  content: Html
}

/** A file that a page sends instead of showing something. */
export type PageFile = { file: { name: string; contentType: string; text: string } }

/** Makes a page redirect to another page instead of showing something. */
export type PageRedirect = { redirectTo: string }

/**
 * Where an action leads: to a page that shows the notice, to a view that is shown only once, or to another site, by a
 * page of ours that announces it. A function that reads the view runs with the viewer's share of reads.
 */
export type ActionResult =
  | { redirectTo: string; notice?: string; tone?: Notice['tone']; more?: Notice['more'] }
  | { show: PageView | (() => Promise<PageView>) }
  | { externalRedirectTo: string; show: PageView; notice?: string }

export type PageAction = {
  form: FormSchema
  /** Whether the form has a file, which is stored as `call.upload` before the action begins. */
  takesFile: boolean
  act(call: ActionCall): Promise<ActionResult>
}

/** A file that a worker writes while the file is sent. */
export type PageDownload = {
  name: string
  contentType: string
  dispatch(origin: AttemptOrigin, options: DispatchOptions): Promise<Outcome<FileReply>>
}

export type LivePart<PageCall = Call> = {
  everySeconds: number
  show(call: PageCall): Promise<LiveContent> | LiveContent
}

export type Page = {
  path: string
  title: Sentence
  /** The section of the navigation that the page belongs to, if any. */
  section: SectionName | MySectionName | undefined
  access: 'signed-in' | 'everybody'
  /** The lowest role that may see the page, and the lowest role that may use its actions and downloads. */
  readers: Role
  writers: Role
  params: FormSchema
  query: FormSchema
  /** The message of the 404 if nothing matches the path. */
  missing: Message
  actions: Record<string, PageAction>
  /** A larger limit for the forms of a page that is open to everybody. Such forms are otherwise limited to a
   * few short fields. */
  formBytesMax: number | undefined
  live: Record<string, LivePart>
  downloads: Record<string, (call: Call) => Promise<PageDownload> | PageDownload>
  findDefaults?(call: Call): Promise<QueryDefaults | undefined>
  show(call: Call): Promise<PageResult> | PageResult
}

/** Query parameters of a page that were not in the requested address. */
export type QueryDefaults = Record<string, number>

type PageResult = PageView | Html | PageRedirect | PageFile

type MakeAction<Params, Query> = <Form extends FormSchema>(
  form: Form,
  act: (call: ActionCall<Params, Query, yup.InferType<Form>>) => Promise<ActionResult>,
  options?: { takesFile?: boolean },
) => PageAction

export type PageSpec<
  Params extends FormSchema,
  Query extends FormSchema,
  PageCall = Call<yup.InferType<Params>, yup.InferType<Query>>,
> = Pick<Page, 'path' | 'title'> &
  Partial<Pick<Page, 'section' | 'access' | 'missing' | 'formBytesMax'>> & {
    /** The roles default to administrators, so that a new page is never open to too many people. */
    readers?: Role
    writers?: Role
    params?: Params
    query?: Query
    /** The actions by name. A form contains the name of its action. */
    actions?: (action: MakeAction<yup.InferType<Params>, yup.InferType<Query>>) => Page['actions']
    /** The live parts by name. `await call.live(name)` shows a live part. */
    live?: Record<string, LivePart<PageCall>>
    /** The downloads by name. `call.download(name)` returns the address of a download. */
    downloads?: Record<string, (call: PageCall) => Promise<PageDownload> | PageDownload>
    /**
     * Returns the query parameters with which the page is shown if its address lacks them. A redirect to the complete
     * address would make a phone wait for one more round trip.
     */
    findDefaults?(call: PageCall): Promise<QueryDefaults | undefined>
    show(call: PageCall): Promise<PageResult> | PageResult
  }

export function definePage<Params extends FormSchema = NoFields, Query extends FormSchema = NoFields>(
  spec: PageSpec<Params, Query>,
): Page {
  const least = spec.access === 'everybody' ? 'reader' : 'administrator'
  return {
    ...(spec as Pick<Page, 'path' | 'title' | 'findDefaults' | 'show'>),
    section: spec.section,
    formBytesMax: spec.formBytesMax,
    access: spec.access ?? 'signed-in',
    readers: spec.readers ?? least,
    writers: spec.writers ?? least,
    params: spec.params ?? noFields,
    query: spec.query ?? noFields,
    missing: spec.missing ?? message`There is no such page.`,
    live: (spec.live ?? {}) as Page['live'],
    downloads: (spec.downloads ?? {}) as Page['downloads'],
    actions:
      spec.actions?.((form, act, { takesFile = false } = {}) => ({ form, act, takesFile }) as PageAction) ??
      {},
  }
}

/** Looks up a name that a client sent. Finds only own properties, because “constructor” is a property of
 * every object. */
export function findNamed<Part>(parts: Record<string, Part>, name: string): Part | undefined {
  return Object.hasOwn(parts, name) ? parts[name] : undefined
}

/** Converts the result of a page to a view. A page may return only HTML. */
export function toPageView(result: PageView | Html): PageView {
  return result instanceof Html ? { content: result } : result
}
