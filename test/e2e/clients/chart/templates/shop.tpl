apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: { app: {{ .Release.Name }} }
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels: { app: {{ .Release.Name }} }
  template:
    metadata:
      labels: { app: {{ .Release.Name }} }
    spec:
      containers:
        - name: shop
          image: {{ .Values.image }}
          envFrom:
            - configMapRef: { name: {{ .Release.Name }} }
          ports:
            - { name: http, containerPort: 8080 }
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  selector: { app: {{ .Release.Name }} }
  ports:
    - { name: http, port: 80, targetPort: http }
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  greeting: {{ .Values.greeting }}
  kubernetes: {{ .Capabilities.APIVersions.Has "apps/v1" | quote }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ .Release.Name }}
stringData:
  password: {{ .Values.greeting | b64enc }}
---
apiVersion: shop.example.com/v1
kind: Order
metadata:
  name: {{ .Release.Name }}
spec: {}
{{- if .Values.extra }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-extra
data: { extra: "yes" }
{{- end }}
