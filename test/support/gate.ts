// Holds back the statements of a pool of the gateway, as if all its connections were in use.
import pg from 'pg'

/** Holds back every statement of the pool. Returns a function that releases them. */
export function holdStatements(name: string): () => void {
  const { query } = pg.Pool.prototype
  let open: () => void = () => undefined
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  pg.Pool.prototype.query = async function held(this: pg.Pool, ...parameters: unknown[]) {
    if ((this.options as pg.PoolConfig).application_name === name) await isOpen
    return Reflect.apply(query, this, parameters)
  } as typeof query
  return () => {
    pg.Pool.prototype.query = query
    open()
  }
}
