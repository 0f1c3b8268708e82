/** Public interface of the package: spans of traced requests. `recorder.ts` is a separate entry. */
export {
  type Attributes,
  type Recorder,
  type SpanKind,
  setRecorder,
  span,
  withoutTrace,
} from './span.ts'
