// The parameters of a path such as `/users/{id}`, which are ids unless the endpoint declares others.
import { object, pathId } from '../../../shared/schemas/fields.ts'

export type IdsIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, number> & IdsIn<Rest>
  : unknown

export const listParameterNames = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

export const createIdParameters = (path: string) =>
  object(Object.fromEntries(listParameterNames(path).map((name) => [name, pathId()])))
