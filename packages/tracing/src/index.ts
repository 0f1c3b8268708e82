export {
  type Attributes,
  type Recorder,
  type SpanKind,
  setRecorder,
  span,
  withoutTrace,
} from './span.ts'
