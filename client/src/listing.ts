// A listing, which can be read item by item, page by page, or as a whole.

type Page<Item> = { items: Item[]; cursor: string | undefined }
type LoadPage<Item> = (query: { limit?: number; cursor?: string }) => Promise<Page<Item>>

const PAGE_SIZE = 100

export class Listing<Item> implements AsyncIterable<Item> {
  readonly #load: LoadPage<Item>
  readonly #pageSize: number | undefined

  constructor(load: LoadPage<Item>, pageSize: number | undefined) {
    this.#load = load
    this.#pageSize = pageSize
  }

  /** Yields all items one by one. Reads pages of `limit` items (100 unless the query says otherwise). */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page
  }

  async *pages(): AsyncGenerator<Item[], void, undefined> {
    const limit = this.#pageSize ?? PAGE_SIZE
    let page = await this.#load({ limit })
    yield page.items
    while (page.cursor !== undefined) {
      page = await this.#load({ limit, cursor: page.cursor })
      yield page.items
    }
  }

  /** Returns all items as of one moment, in one response. If the query has a `limit`, reads them in pages instead. */
  async all(): Promise<Item[]> {
    if (this.#pageSize === undefined) return (await this.#load({})).items
    const items: Item[] = []
    for await (const page of this.pages()) items.push(...page)
    return items
  }
}
