// The conditions of a search. The statement contains only those that are needed, so that Postgres plans for
// exactly these.
import { likePattern } from '../../data/like-patterns.ts'

const WORDS_MAX = 8

export class SqlConditions {
  readonly values: unknown[] = []
  readonly #parts: string[] = []

  /** Returns the placeholder. */
  bind(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  add(condition: string) {
    this.#parts.push(condition)
  }

  addSearch(text: string | undefined, columns: string[]) {
    this.#parts.push(...this.search(text, columns))
  }

  /** Each word of the text must occur in one of the columns. */
  search(text: string | undefined, columns: string[]): string[] {
    const words = (text ?? '').split(/\s+/).filter(Boolean).slice(0, WORDS_MAX)
    return words.map((word) => {
      const pattern = this.bind(likePattern(word))
      return `(${columns.map((column) => `${column} ILIKE ${pattern}`).join(' OR ')})`
    })
  }

  get sql(): string {
    return this.#parts.length > 0 ? this.#parts.join(' AND ') : 'true'
  }
}
