// A document that contains the address of its service: rendered once, then completed for each address.
// Rendering takes milliseconds of the only thread and needs no token, and a stranger can send any Host: so a
// new address costs only a replacement, and the number of cached addresses is limited.
import { BoundedMap } from '../../shared/utilities/bounded-map.ts'
import { etagOf } from '../../shared/utilities/etags.ts'
import { sendNotModified } from '../http/etags.ts'
import type { Context } from '../services/context.ts'

export type DocumentSource = {
  contentType: string
  /** Renders the document, with this address wherever it names one. */
  render(baseUrl: string): string
  /** The address as it is escaped in such a document. */
  escape(baseUrl: string): string
}

type Finished = { text: string; etag: string }

const ADDRESSES_MAX = 20
// Stands for the address until then. There is no such host, and escaping never changes it.
const PLACEHOLDER = 'https://address-of-this-service.invalid'

export class RenderedDocument {
  readonly #source: DocumentSource
  readonly #byAddress = new BoundedMap<Finished>(ADDRESSES_MAX)
  #parts: string[] | undefined

  constructor(source: DocumentSource) {
    this.#source = source
  }

  get contentType(): string {
    return this.#source.contentType
  }

  send(ctx: Context) {
    const { text, etag } = this.#finish(ctx.state.baseUrl)
    // It changes only with a new release, but then at once.
    ctx.set('Cache-Control', 'no-cache')
    if (sendNotModified(ctx, etag)) return
    ctx.type = this.contentType
    ctx.body = text
  }

  #finish(baseUrl: string): Finished {
    const known = this.#byAddress.get(baseUrl)
    if (known) return known
    this.#parts ??= this.#source.render(PLACEHOLDER).split(PLACEHOLDER)
    const text = this.#parts.join(this.#source.escape(baseUrl))
    const finished = { text, etag: etagOf(text) }
    this.#byAddress.set(baseUrl, finished)
    return finished
  }
}
